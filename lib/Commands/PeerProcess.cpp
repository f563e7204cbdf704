// A program in Python that loads a model into another runtime, and the socket
// by which it is told to call.

#include "PeerProcess.h"

#include "heddle/Support/SpawnSettings.h"

#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <sys/wait.h>

using namespace heddle;
using llvm::ArrayRef;
using llvm::StringRef;

/// Standard input is a socket of packets: a number comes in, the seconds of so
/// many calls go out. The first packet is the version, once calls are warm.
static constexpr char program[] = R"(
import socket
import sys
import tempfile
import time
import numpy as np

peer, model, feeds, threads = sys.argv[1:]
feeds, threads = dict(np.load(feeds)), int(threads)


def onnxruntime_call():
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    # Threads that wait would take the processors from whose turn it is.
    options.add_session_config_entry("session.force_spinning_stop", "1")
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return onnxruntime.__version__, lambda: session.run(None, feeds)


def openvino_call(precision):
    import openvino
    core = openvino.Core()
    network = core.read_model(model)
    network.reshape({name: value.shape for name, value in feeds.items()})
    # Unasked it computes in bf16 where the processor can.
    compiled = core.compile_model(network, "CPU", {"INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": precision})
    request = compiled.create_infer_request()
    return openvino.__version__.split("-")[0], lambda: request.infer(feeds)


def python_call():
    import heddle
    with tempfile.NamedTemporaryFile(suffix=".heddle") as artifact:
        heddle.compile(model, artifact.name, shapes={name: value.shape for name, value in feeds.items()})
        called = heddle.load(artifact.name, threads=threads)
    return heddle.__version__, lambda: called(**feeds)


channel = socket.socket(fileno=0)
peers = {"onnxruntime": onnxruntime_call, "openvino": lambda: openvino_call("f32"), "openvino-bf16": lambda: openvino_call("bf16"),
         "heddle-python": python_call}
version, call = peers[peer]()
call()
call()
channel.send(version.encode())
while asked := channel.recv(64):
    begin = time.perf_counter()
    for _ in range(int(asked)):
        call()
    channel.send(repr(time.perf_counter() - begin).encode())
)";

ArrayRef<llvm::StringLiteral> PeerProcess::names() {
  static constexpr llvm::StringLiteral list[] = {
      "onnxruntime", "openvino", "openvino-bf16", "heddle-python"};
  return list;
}

std::unique_ptr<PeerProcess>
PeerProcess::start(Session &session, StringRef name, StringRef model,
                   ArrayRef<TensorSignature> inputs, ArrayRef<HostTensor> feeds,
                   unsigned threads) {
  auto folder = PeerFolder::make(session, name, model, inputs, feeds);
  if (!folder)
    return nullptr;
  auto refuse = [&](const llvm::Twine &why, int problem) {
    session.diagnostics.report(ErrorCode::MissingPeer,
                               why + ": " + std::strerror(problem));
    return nullptr;
  };
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return refuse("no socket for " + name, errno);
  std::string printed = folder->printed();
  SpawnSettings settings(ends[1], printed.c_str());
  std::string words[] = {folder->python(),
                         "-c",
                         program,
                         name.str(),
                         model.str(),
                         folder->feeds(),
                         std::to_string(threads)};
  llvm::SmallVector<char *> arguments;
  for (std::string &word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child;
  int problem = posix_spawn(&child, words[0].c_str(), &settings.actions,
                            &settings.attributes, arguments.data(), environ);
  close(ends[1]);
  if (problem != 0) {
    close(ends[0]);
    return refuse("cannot run " + folder->python(), problem);
  }
  auto peer = std::make_unique<PeerProcess>(std::move(*folder), name.str(),
                                            child, ends[0]);
  peer->ownVersion = peer->hear();
  if (!peer->ownVersion.empty())
    return peer;
  peer->folder.reportFailure();
  return nullptr;
}

PeerProcess::~PeerProcess() {
  close(socket);
  // It has nothing to lose, and what it has started goes with it.
  kill(-child, SIGKILL);
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR)
    ;
}

std::string PeerProcess::hear() const {
  char packet[256];
  ssize_t got;
  do
    got = recv(socket, packet, sizeof packet, 0);
  while (got < 0 && errno == EINTR);
  return got > 0 ? std::string(packet, size_t(got)) : std::string();
}

std::optional<double> PeerProcess::call(unsigned times) {
  std::string question = std::to_string(times);
  double seconds;
  // A socket that nobody reads any more shall not end this process.
  if (send(socket, question.data(), question.size(), MSG_NOSIGNAL) < 0 ||
      StringRef(hear()).getAsDouble(seconds)) {
    folder.reportFailure();
    return std::nullopt;
  }
  return seconds;
}
