// tcp-parts MODELS: what ranks without MPI are made of: the keyed hash against
// published values, files with secrets, proofs and addresses.

#include "runtime/tcp/Handshake.h"
#include "runtime/tcp/KeyedHash.h"
#include "runtime/tcp/TcpSecret.h"
#include "test/runtime/Variables.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace heddle::runtime;
using namespace heddle::test;

static std::string hex(const Digest &digest) {
  std::string text;
  for (uint8_t byte : digest)
    for (int digit : {byte >> 4, byte & 15})
      text += "0123456789abcdef"[digit];
  return text;
}

/// The test cases 1, 2, 3, 6 and 7 of RFC 4231, 4.
static void testKeyedHash() {
  CHECK(hex(keyedHash(std::string(20, '\x0b'), "Hi There")) ==
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  CHECK(hex(keyedHash("Jefe", "what do ya want for nothing?")) ==
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  CHECK(hex(keyedHash(std::string(20, '\xaa'), std::string(50, '\xdd'))) ==
        "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
  std::string longKey(131, '\xaa');
  CHECK(hex(keyedHash(longKey, "Test Using Larger Than Block-Size Key - Hash "
                               "Key First")) ==
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
  CHECK(hex(keyedHash(longKey,
                      "This is a test using a larger than block-size key and "
                      "a larger than block-size data. The key needs to be "
                      "hashed before being used by the HMAC algorithm.")) ==
        "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2");
  Digest one = keyedHash("a", "b"), other = one;
  CHECK(areEqual(one, other));
  other[31] ^= 1;
  CHECK(!areEqual(one, other));
}

static std::string secretOf(const Pairs &pairs,
                            const std::string &secretFile = {}) {
  setVariables(pairs);
  std::string secret;
  Error error = readSecret(secretFile, secret);
  return error ? error.message() : secret;
}

static void testSecrets(const std::string &folder) {
  std::string path = folder + "/secret-" + std::to_string(getpid()) + ".txt";
  FILE *file = std::fopen(path.c_str(), "w");
  std::fputs("0123456789abcdef\n", file);
  std::fclose(file);
  CHECK(secretOf({}).empty());
  CHECK(secretOf({{"HEDDLE_SECRET", "sixteen letters!"}}) ==
        "sixteen letters!");
  TEXT(secretOf({{"HEDDLE_SECRET", "short"}}),
       "the secret of HEDDLE_SECRET has 5 characters: 16 are wanted");
  TEXT(secretOf({{"HEDDLE_SECRET", ""}}), "has 0 characters");
  Pairs named = {{"HEDDLE_SECRET_FILE", path.c_str()}};
  chmod(path.c_str(), 0640);
  TEXT(secretOf(named), "others can read it");
  chmod(path.c_str(), 0600);
  CHECK(secretOf(named) == "0123456789abcdef");
  TEXT(secretOf({{"HEDDLE_SECRET_FILE", folder.c_str()}}), "it is no file");
  named.push_back({"HEDDLE_SECRET", "sixteen letters!"});
  TEXT(secretOf(named), "HEDDLE_SECRET and HEDDLE_SECRET_FILE are both set");
  // A file that the caller names comes before both.
  CHECK(secretOf(named, path) == "0123456789abcdef");
  CHECK(secretOf({{"HEDDLE_SECRET", "short"}}, path) == "0123456789abcdef");
  chmod(path.c_str(), 0604);
  TEXT(secretOf({}, path),
       "secret_file: the secret in " + path + ": others can read it");
  chmod(path.c_str(), 0600);
  file = std::fopen(path.c_str(), "w");
  std::fputs("short", file);
  std::fclose(file);
  TEXT(secretOf({}, path),
       "the secret of secret_file (" + path + ") has 5 characters");
  unlink(path.c_str());
  TEXT(secretOf({{"HEDDLE_SECRET_FILE", path.c_str()}}),
       "HEDDLE_SECRET_FILE: the secret in " + path +
           ": No such file or directory");
  TEXT(secretOf({{"HEDDLE_SECRET", "sixteen letters!"}}, path),
       "secret_file: the secret in " + path + ": No such file or directory");
}

/// The secret that ranks of one machine make is there as long as it is wanted,
/// and this user's alone.
static void testOwnSecret() {
  std::string made, found,
      place = "test-" + std::to_string(getpid()),
      path = "/tmp/heddle-" + std::to_string(geteuid()) + "/tcp-" + place;
  struct stat about;
  {
    OwnSecret first;
    CHECK(!first.make(place, made) && !OwnSecret::find(place, found));
    CHECK(made.size() == 64 && made == found);
    CHECK(!stat(path.c_str(), &about) && (about.st_mode & 0777) == 0600);
    // Who has the place later has a file of its own, which stays.
    OwnSecret later;
    CHECK(!later.make(place, made));
    first.remove();
    CHECK(!OwnSecret::find(place, found) && made == found);
  }
  Error error = OwnSecret::find(place, found);
  TEXT(error.message(), "set HEDDLE_SECRET for all");
}

/// Each part of a claim counts for its proof.
static void testProofs() {
  Credentials group = {"a secret of a group", {}, 0, 4};
  Greeting greeting;
  CHECK(!makeGreeting(greeting));
  Claim claim = {};
  std::memcpy(claim.magic, greeting.magic, sizeof(claim.magic));
  claim.version = greeting.version;
  claim.rank = 2;
  claim.count = 4;
  CHECK(isClaim(claim));
  CHECK(judge(claim, greeting, group) == Verdict::OtherSecret);
  Answer answer = makeAnswer(Verdict::OtherSecret, claim, group);
  CHECK(!answer.count && answer.proof == Digest{});
  claim.version = 77;
  CHECK(judge(claim, greeting, group) == Verdict::OtherVersion);
  claim.magic[0] = 'H';
  CHECK(!isClaim(claim));
}

/// A caller and who is called, connected, and what becomes of the claim when
/// the answer to it comes back with byte `wrong` changed.
static Outcome introduceTo(const Credentials &called, const Credentials &caller,
                           size_t wrong, Claim &claim, Greeting &greeting) {
  int ends[2];
  CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
  Socket near(ends[0]), far(ends[1]);
  CHECK(!makeGreeting(greeting));
  uint64_t never = UINT64_MAX;
  Outcome outcome = Outcome::Later;
  std::thread thread([&] {
    Error error;
    outcome = introduce(near, greeting, caller, called.rank, Channel::Data, {},
                        never, error);
  });
  CHECK(receiveAll(far, &claim, sizeof(claim), never));
  Answer answer = makeAnswer(judge(claim, greeting, called), claim, called);
  if (wrong < sizeof(answer))
    reinterpret_cast<char *>(&answer)[wrong] ^= 1;
  CHECK(sendAll(far, &answer, sizeof(answer), never));
  thread.join();
  return outcome;
}

/// Who knows the secret is let in; no byte of a claim, of what it answers or of
/// its answer may be another.
static void testChangedProofs() {
  Credentials called = {"a secret of a group", {}, 1, 4}, caller = called;
  caller.rank = 2;
  Claim claim;
  Greeting greeting;
  CHECK(introduceTo(called, caller, SIZE_MAX, claim, greeting) ==
        Outcome::Done);
  CHECK(judge(claim, greeting, called) == Verdict::Welcome);
  for (size_t i = sizeof(claim.magic); i < sizeof(claim); ++i) {
    Claim changed = claim;
    reinterpret_cast<char *>(&changed)[i] ^= 1;
    Verdict verdict = judge(changed, greeting, called);
    CHECK(verdict == Verdict::OtherSecret || verdict == Verdict::OtherVersion);
  }
  for (uint8_t &byte : greeting.challenge) {
    byte ^= 1;
    CHECK(judge(claim, greeting, called) == Verdict::OtherSecret);
    byte ^= 1;
  }
  Credentials other = called;
  other.rank = 3; // who is called
  CHECK(judge(claim, greeting, other) == Verdict::OtherSecret);
  other = called;
  other.session[15] = 1;
  CHECK(judge(claim, greeting, other) == Verdict::OtherSecret);
  other = called;
  other.count = 5;
  CHECK(judge(claim, greeting, other) == Verdict::OtherCount);
  for (size_t i = 0; i < sizeof(Answer); ++i)
    CHECK(introduceTo(called, caller, i, claim, greeting) == Outcome::Refused);
}

/// At a port where nobody listens no caller meets itself, though the system
/// chooses just that port for it now and then.
static void testNobodyListens() {
  Endpoint loopback = {};
  loopback.family = AF_INET;
  loopback.bytes[0] = 127;
  loopback.bytes[3] = 1;
  // Linux gives callers even ports before odd ones.
  SocketAddress address;
  Socket listener;
  while (!listener) {
    address = localAddress(listenAt(SocketAddress::from(loopback)));
    address.setPort(address.endpoint().port & 0xfffe);
    listener = listenAt(address);
  }
  listener.reset();
  for (int i = 0; i < 60000; ++i)
    CHECK(!connectTo(address, UINT64_MAX) && errno == ECONNREFUSED);
}

/// An address of a link names the interface of who tells it; each machine
/// numbers its own.
static void testAddressesOfLinks() {
  Endpoint link = {}, global = {}, four = {};
  link.family = global.family = AF_INET6;
  link.bytes[0] = 0xfe;
  link.bytes[1] = 0x80;
  global.bytes[0] = 0x20;
  four.family = AF_INET;
  four.bytes[0] = 0xfe;
  four.bytes[1] = 0x80;
  Endpoint own = link;
  own.scope = 7;
  SocketAddress here = SocketAddress::from(own);
  link.scope = 3;
  CHECK(reachedOver(here, link).scope == 7);
  CHECK(reachedOver(here, global).scope == 0);
  CHECK(reachedOver(here, four).scope == 0);
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  testKeyedHash();
  testSecrets(argv[1]);
  testOwnSecret();
  testProofs();
  testChangedProofs();
  testAddressesOfLinks();
  testNobodyListens();
  return finish();
}
