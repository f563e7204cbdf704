// The times of rounds as a picture.

#include "BenchRounds.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace heddle;
using llvm::ArrayRef;
using llvm::StringRef;

// All in pixels.
static constexpr int labelWidth = 170, plotWidth = 460, figureWidth = 190,
                     titleHeight = 40, rowHeight = 48, axisHeight = 36;

namespace {
/// Where a number of seconds stands; the axis starts at 0.
struct Axis {
  double longest;
  double at(double seconds) const {
    return labelWidth + plotWidth * std::min(seconds / longest, 1.0);
  }
};
} // namespace

static void write(llvm::raw_ostream &os, double x, double y, StringRef anchor,
                  StringRef text) {
  os << llvm::format("<text x=\"%.1f\" y=\"%.1f\"", x, y) << " text-anchor=\""
     << anchor << "\">";
  llvm::printHTMLEscaped(text, os);
  os << "</text>\n";
}

static std::string milliseconds(double seconds) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.3g ms", seconds * 1e3);
  return text;
}

/// Rounds beside each other stand at other heights, so that equal times are
/// seen as many.
static void drawRow(llvm::raw_ostream &os, const Axis &axis, double middle,
                    ArrayRef<double> times, StringRef colour) {
  os << "<g fill=\"" << colour << "\" fill-opacity=\"0.45\">\n";
  for (auto [round, seconds] : llvm::enumerate(times))
    os << llvm::format("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\"/>\n",
                       axis.at(seconds),
                       middle - 10 + 20.0 * double(round % 7) / 6);
  os << "</g>\n";
  double median = axis.at(percentile(times, 0.5));
  os << llvm::format("<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"",
                     median, median, middle - 15, middle + 15)
     << " stroke=\"" << colour << "\" stroke-width=\"2.5\"/>\n";
}

std::string heddle::drawRounds(const BenchRounds &rounds,
                               ArrayRef<std::string> names, StringRef title) {
  Axis axis{0};
  for (const std::vector<double> &times : rounds.programs)
    axis.longest = std::max(axis.longest, 1.05 * percentile(times, 0.98));
  int width = labelWidth + plotWidth + figureWidth,
      bottom = titleHeight + rowHeight * int(names.size()),
      height = bottom + axisHeight;
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << width
     << "\" height=\"" << height << "\" font-family=\"sans-serif\""
     << " font-size=\"13\">\n<rect width=\"100%\" height=\"100%\""
     << " fill=\"white\"/>\n";
  write(os, width / 2.0, titleHeight / 2.0 + 5, "middle", title);
  for (auto [number, name] : llvm::enumerate(names)) {
    ArrayRef<double> times = rounds.programs[number];
    double middle = titleHeight + rowHeight * (double(number) + 0.5);
    drawRow(os, axis, middle, times, number ? "#2f6fa7" : "#c2701d");
    write(os, labelWidth - 12, middle + 5, "end", name);
    std::string figure = milliseconds(percentile(times, 0.5));
    if (number) {
      TimeRatio ratio = rounds.ratioTo(number - 1);
      llvm::raw_string_ostream(figure) << llvm::format(
          ", %.3f [%.3f, %.3f]", ratio.mean, ratio.low, ratio.high);
    }
    write(os, labelWidth + plotWidth + 8, middle + 5, "start", figure);
  }
  os << "<line x1=\"" << labelWidth << "\" x2=\"" << labelWidth + plotWidth
     << "\" y1=\"" << bottom << "\" y2=\"" << bottom
     << "\" stroke=\"#888888\"/>\n";
  for (int part = 0; part <= 4; ++part)
    write(os, axis.at(axis.longest * part / 4), bottom + 20, "middle",
          milliseconds(axis.longest * part / 4));
  os << "</svg>\n";
  return text;
}
