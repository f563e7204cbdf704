// The record of errors as JSON and as a table.

#include "Certificate.h"

#include "Fingerprint.h"
#include "heddle/Driver/ArtifactQueries.h"
#include "heddle/Support/JsonText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <cmath>

using namespace heddle;
using namespace llvm;

double Validation::largest() const {
  double most = 0;
  for (double error : errors)
    most = std::max(most, error);
  return most;
}

double Validation::percentile99() const {
  if (errors.empty())
    return 0;
  std::vector<double> sorted = errors;
  llvm::sort(sorted);
  // The smallest whole number that is no less than 99 % of all.
  return sorted[(99 * sorted.size() + 99) / 100 - 1];
}

size_t Validation::countAbove(double maxError) const {
  return llvm::count_if(errors,
                        [&](double error) { return !(error <= maxError); });
}

double PrecisionCertificate::independentError() const {
  double sum = 0;
  for (const ProductRecord &product : products)
    if (product.choice != 0)
      sum += product.errors[product.choice] * product.errors[product.choice];
  return fromMagnitude(metric, std::sqrt(sum));
}

double PrecisionCertificate::estimate() const {
  double error = independentError();
  for (const Prediction &prediction : predictions)
    error = std::max(error, prediction.measured);
  return fromMagnitude(metric, kEstimateMargin * toMagnitude(metric, error));
}

/// How likely an error beyond the budget is at most, at 95 %, where none was
/// seen in `count` independent inputs, and this is the program of the number
/// `program`, from 1, that was tried on them: (1 - p)^count = 0.05 / 2^program.
/// Whichever program is the first to pass, these parts make 0.05 at most
/// together (the union bound), so that trying again costs no confidence.
static double likelihoodBound(size_t count, unsigned program) {
  return 1 - std::pow(0.05 / std::exp2(program), 1.0 / double(count));
}

static std::string statementOf(const PrecisionCertificate &certificate) {
  size_t count = certificate.validation.errors.size();
  if (count == 0)
    return "nothing is rounded, and nothing was measured";
  std::string text;
  raw_string_ostream os(text);
  os << "none of " << count << " held-out inputs is beyond the budget: if they "
     << "are independent and drawn as those of later calls, then with "
        "confidence 95 % at most "
     << llvm::format("%.3g",
                     100 * likelihoodBound(count, certificate.tightenings + 1))
     << " % of calls are beyond it";
  if (certificate.tightenings)
    os << " (the " << certificate.tightenings + 1
       << " programs that were tried on them are counted)";
  return text;
}

/// What the margin multiplies, where that is not the error itself: what adds up
/// (`toMagnitude`).
static StringRef marginsObject(ErrorMetric metric) {
  if (metric == ErrorMetric::Cosine)
    return " on its angle";
  return metric == ErrorMetric::Divergence ? " on its root" : "";
}

static json::Object toJson(const ProductRecord &product,
                           const PrecisionCertificate &certificate) {
  json::Object measured;
  for (unsigned choice = 1; choice < kFactorTypes.size(); ++choice)
    // JSON knows no infinity.
    if (product.errors[choice] >= 0)
      measured[kFactorTypes[choice]] = std::isfinite(product.errors[choice])
                                           ? json::Value(product.errors[choice])
                                           : json::Value(nullptr);
  double magnitude = product.choice ? product.errors[product.choice] : 0;
  double budget =
      toMagnitude(certificate.metric, certificate.maxError) / kEstimateMargin;
  json::Object record{{"node", json::fixUTF8(product.node)},
                      {"kind", product.kind},
                      {"type", kFactorTypes[product.choice]},
                      {"magnitude", magnitude},
                      {"budget_share", magnitude * magnitude / budget / budget},
                      {"nanoseconds_saved", product.nanosecondsSaved},
                      {"measured", std::move(measured)},
                      {"reason", json::fixUTF8(product.reason)}};
  // A range that is not finite has no scale, and no program that is written.
  if (product.firstFactor &&
      std::isfinite(product.firstFactor->scale().scale)) {
    ByteScale scale = product.firstFactor->scale();
    record["first_factor"] =
        json::Object{{"scale", double(scale.scale)},
                     {"zero_point", int64_t(scale.zeroPoint)},
                     {"least", product.firstFactor->least},
                     {"largest", product.firstFactor->largest}};
  }
  return record;
}

json::Object heddle::toJson(const PrecisionCertificate &certificate) {
  json::Array products, predictions, unmeasured;
  for (const ProductRecord &product : certificate.products)
    products.push_back(::toJson(product, certificate));
  for (const Prediction &one : certificate.predictions)
    predictions.push_back(json::Object{{"sample", int64_t(one.sample)},
                                       {"estimated", one.estimated},
                                       {"measured", one.measured}});
  for (const std::string &name : certificate.unmeasured)
    unmeasured.push_back(json::fixUTF8(name));
  const Validation &validation = certificate.validation;
  size_t count = validation.errors.size();
  return json::Object{
      {"version", 1},
      {"metric", metricName(certificate.metric)},
      {"max_error", certificate.maxError},
      {"estimate",
       json::Object{{"tier", "E"},
                    {"meaning",
                     "an estimate, no bound: the larger of what independent "
                     "errors of products add up to and of what was measured on "
                     "inputs of the calibration, times the margin" +
                         marginsObject(certificate.metric).str()},
                    {"error", certificate.estimate()},
                    {"independent", certificate.independentError()},
                    {"margin", kEstimateMargin},
                    {"samples", std::move(predictions)}}},
      {"validation",
       json::Object{{"tier", "V"},
                    {"meaning", statementOf(certificate)},
                    {"count", int64_t(count)},
                    {"samples", json::Array(certificate.heldOut)},
                    {"errors", json::Array(validation.errors)},
                    {"max", validation.largest()},
                    {"p99", validation.percentile99()},
                    {"beyond_budget",
                     int64_t(validation.countAbove(certificate.maxError))},
                    {"beyond_estimate",
                     int64_t(validation.countAbove(certificate.estimate()))},
                    {"tightenings", int64_t(certificate.tightenings)}}},
      {"unmeasured_outputs", std::move(unmeasured)},
      {"assignment",
       json::Object{{"exact", certificate.isAssignmentExact},
                    {"nanoseconds_f32", certificate.nanosecondsExact},
                    {"nanoseconds", certificate.nanosecondsChosen},
                    {"meaning", "modelled by the target's rates on one core"}}},
      {"other_products", certificate.otherProducts},
      {"products", std::move(products)},
      {"bound_to", json::Object{{"hash", "sha256"},
                                {"model", certificate.modelHash},
                                {"policy", certificate.policyHash},
                                {"data", certificate.dataHash},
                                {"program", certificate.programHash},
                                {"target", certificate.target}}}};
}

bool heddle::printCertificate(raw_ostream &os, const json::Object &shown) {
  const json::Object *estimate = shown.getObject("estimate");
  const json::Object *validation = shown.getObject("validation");
  const json::Object *assignment = shown.getObject("assignment");
  const json::Object *bound = shown.getObject("bound_to");
  const json::Array *products = shown.getArray("products");
  if (shown.getInteger("version") != 1 || !estimate || !validation ||
      !assignment || !bound || !products)
    return false;
  auto number = [](const json::Object &object, StringRef key) {
    return object.getNumber(key).value_or(NAN);
  };
  auto text = [](const json::Object &object, StringRef key) {
    return object.getString(key).value_or("").str();
  };
  os << "error budget  " << text(shown, "metric") << " "
     << llvm::format("%.3g", number(shown, "max_error")) << "\n"
     << "E  estimated  " << llvm::format("%.3g", number(*estimate, "error"))
     << "; " << text(*estimate, "meaning") << " of "
     << llvm::format("%.3g", number(*estimate, "margin")) << "; "
     << validation->getInteger("beyond_estimate").value_or(-1)
     << " held-out inputs are beyond it\n"
     << "V  measured   max " << llvm::format("%.3g", number(*validation, "max"))
     << ", p99 " << llvm::format("%.3g", number(*validation, "p99")) << ", "
     << validation->getInteger("count").value_or(-1) << " inputs; "
     << text(*validation, "meaning") << "\n"
     << "P  proved     nothing\n"
     << "time          "
     << llvm::format("%.1f of %.1f us",
                     number(*assignment, "nanoseconds") / 1e3,
                     number(*assignment, "nanoseconds_f32") / 1e3)
     << " of f32, " << text(*assignment, "meaning") << "\n"
     << "program       " << text(*bound, "target") << ", sha256 "
     << text(*bound, "program") << "\n"
     << "type  budget      saved  product\n";
  for (const json::Value &value : *products) {
    const json::Object *product = value.getAsObject();
    if (!product)
      return false;
    os << left_justify(text(*product, "type"), 5)
       << llvm::format("%6.2f %%  %7.1f us",
                       100 * number(*product, "budget_share"),
                       number(*product, "nanoseconds_saved") / 1e3)
       << "  " << text(*product, "node") << " (" << text(*product, "kind")
       << "): " << text(*product, "reason");
    if (const json::Object *first = product->getObject("first_factor"))
      os << "; first factor in units of "
         << llvm::format("%.3g", number(*first, "scale")) << ", from "
         << llvm::format("%.3g", number(*first, "least")) << " to "
         << llvm::format("%.3g", number(*first, "largest"));
    os << "\n";
  }
  os << "no choice     " << shown.getInteger("other_products").value_or(0)
     << " other contractions and convolutions of f32\n";
  return true;
}

Expected<json::Object>
heddle::readCertificate(const format::ArtifactReader &artifact) {
  StringRef record = findRecord(artifact, kCertificateRecord);
  if (record.empty())
    return createStringError(
        "the artifact has no certificate of its precision: compile the model "
        "with --precision auto --max-error VALUE --calibration DATA");
  if (isNestedTooDeeply(record))
    return createStringError("the certificate's JSON is nested too deeply");
  Expected<json::Value> value = json::parse(record);
  if (!value)
    return value.takeError();
  json::Object *object = value->getAsObject();
  const json::Object *bound = object ? object->getObject("bound_to") : nullptr;
  if (!bound)
    return createStringError("the certificate is of no form that this version "
                             "of heddle knows");
  if (bound->getString("program") != sha256OfProgram(artifact))
    return createStringError(
        "the certificate is about another program than the artifact's: its "
        "hash of weights, code and plans is not theirs");
  return std::move(*object);
}
