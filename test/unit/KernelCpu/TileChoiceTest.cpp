// The arithmetic behind tiles: nothing may be left out or done twice.

#include "passes/Kernel/Cpu/TileChoice.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include "passes/Kernel/Cpu/ConvolutionShape.h"
#include "gtest/gtest.h"

using namespace heddle;

namespace {

TEST(TileChoice, RowsAreSplitEvenly) {
  for (int64_t extent = 0; extent < 100; ++extent)
    for (int64_t most = 1; most < 20; ++most) {
      RowSplit split = splitRows(extent, most);
      EXPECT_EQ(split.bigCount * split.bigRows +
                    split.smallCount * split.smallRows(),
                extent);
      EXPECT_LE(split.bigRows, most);
      EXPECT_EQ(split.count(), (extent + most - 1) / most);
      if (split.smallCount) {
        EXPECT_GT(split.smallRows(), 0);
      }
    }
}

TEST(TileChoice, TilesFitTheRegisters) {
  for (const Machine &machine : machines())
    for (int64_t rows : {1, 2, 5, 14, 100})
      for (int64_t columns : {1, 16, 31, 64, 1000})
        for (int64_t lanes : {8, 16}) {
          TileShape shape = chooseTileShape(machine, rows, columns, lanes);
          int64_t perVector = machine.registersPerVector();
          EXPECT_LE(shape.rows, rows);
          EXPECT_GE(shape.rows, 1);
          // Columns of a tile divide a panel, or are panels.
          int64_t width = shape.vectors * lanes;
          EXPECT_TRUE(machine.panelColumns % width == 0 ||
                      width % machine.panelColumns == 0);
          // Accumulators, the right-hand side's vectors, one broadcast. Vectors
          // of a single row are loaded as they are used.
          int64_t others = shape.rows == 1 ? 2 : shape.vectors * perVector + 1;
          if (machine.vectorBits >= 256) {
            EXPECT_LE(shape.rows * shape.vectors * perVector + others,
                      machine.vectorRegisters)
                << machine.name << " " << rows << " x " << columns;
          }
        }
}

TEST(TileChoice, TheRecipesTiles) {
  auto shapeOn = [](const char *name, int64_t rows, int64_t columns) {
    TileShape shape = chooseTileShape(*findMachine(name), rows, columns, 16);
    return std::make_pair(shape.rows, shape.vectors);
  };
  EXPECT_EQ(shapeOn("x86-64-v4", 1000, 1000),
            std::make_pair(int64_t(14), int64_t(2)));
  EXPECT_EQ(shapeOn("x86-64-v3", 1000, 1000),
            std::make_pair(int64_t(6), int64_t(1)));
  // A matrix by a vector: several panels hide the latency.
  EXPECT_EQ(shapeOn("x86-64-v4", 1, 1000),
            std::make_pair(int64_t(1), int64_t(8)));
  EXPECT_EQ(shapeOn("x86-64-v3", 1, 1000),
            std::make_pair(int64_t(1), int64_t(4)));
}

TEST(TileChoice, GridsAreCovered) {
  mlir::MLIRContext context;
  for (const Machine &machine : machines())
    for (int64_t rowTiles : {1, 3, 40, 1000})
      for (int64_t groups : {1, 7, 128})
        for (int64_t depth : {0, 64, 20000}) {
          ContractionExtents extents;
          extents.rows = rowTiles * 6;
          extents.columns = groups * machine.panelColumns;
          extents.depth = depth;
          extents.accumulator = mlir::Float32Type::get(&context);
          ContractionBlocks blocks =
              chooseBlocks(machine, extents, {6, 2}, rowTiles, groups, 16);
          EXPECT_GE(blocks.rowTiles, 1);
          EXPECT_LE(blocks.rowTiles, rowTiles);
          EXPECT_GE(blocks.columnGroups, 1);
          EXPECT_LE(blocks.columnGroups, groups);
          EXPECT_GE(blocks.depthBlock, 1);
          EXPECT_GE(blocks.chunk, 1);
        }
}

/// Bytes of `rows` x `columns` x `depth` in matrix registers, in tiles of 32.
static ContractionBlocks matrixBlocks(const Machine &machine, int64_t rows,
                                      int64_t columns, int64_t depth) {
  ContractionExtents extents;
  extents.rows = rows;
  extents.columns = columns;
  extents.depth = depth / 4;
  extents.inMatrices = true;
  return chooseBlocks(machine, extents, {32, 2}, rows / 32, columns / 32, 16);
}

TEST(TileChoice, WhatStaysOfMatricesFitsItsCache) {
  const Machine &machine = *findMachine("x86-64-v4-amx");
  for (int64_t rows : {32, 128, 512, 4096})
    for (int64_t columns : {32, 768, 4096})
      for (int64_t depth : {32, 64, 768, 1024, 2048, 3008, 8192}) {
        ContractionBlocks blocks = matrixBlocks(machine, rows, columns, depth);
        int64_t steps = depth / 4;
        EXPECT_LE(blocks.depthBlock, steps);
        if (blocks.depthBlock < steps)
          EXPECT_EQ(blocks.depthBlock % matrixSteps, 0);
        // 32 rows or columns of four bytes a step.
        EXPECT_LE(blocks.depthBlock * 128, machine.l1Bytes * 2 / 3)
            << rows << " x " << columns << " x " << depth;
        int64_t staying =
            blocks.rowsOutside ? blocks.columnGroups : blocks.rowTiles;
        EXPECT_LE(staying * steps * 128, machine.l2Bytes)
            << rows << " x " << columns << " x " << depth;
      }
}

TEST(TileChoice, FewAndManyRowsOfMatricesStayWhilePanelsGoBy) {
  const Machine &machine = *findMachine("x86-64-v4-amx");
  EXPECT_TRUE(matrixBlocks(machine, 64, 768, 768).rowsOutside);
  EXPECT_FALSE(matrixBlocks(machine, 128, 768, 768).rowsOutside);
  EXPECT_FALSE(matrixBlocks(machine, 512, 768, 768).rowsOutside);
  EXPECT_TRUE(matrixBlocks(machine, 1024, 768, 768).rowsOutside);
  // They do not fit the first cache.
  EXPECT_FALSE(matrixBlocks(machine, 1024, 768, 2048).rowsOutside);
}

/// What is widened wherever it is read takes longer: pieces that threads claim
/// are smaller, and fewer kernels count as brief.
TEST(TileChoice, PiecesFollowTheRateOfTheFactors) {
  mlir::MLIRContext context;
  const Machine &machine = *findMachine("x86-64-v2");
  mlir::Type f32 = mlir::Float32Type::get(&context);
  mlir::Type f16 = mlir::Float16Type::get(&context);
  Work work;
  work.operations = 20000;
  work.accumulator = f32;
  Work halves = work;
  halves.factor = f16;
  EXPECT_GT(chooseChunk(machine, work, 1000),
            10 * chooseChunk(machine, halves, 1000));
  EXPECT_TRUE(isSmallWork(machine, work));
  halves.operations = 400000;
  EXPECT_FALSE(isSmallWork(machine, halves));
  work.operations = 400000;
  work.factor = f32;
  EXPECT_TRUE(isSmallWork(machine, work));

  ContractionExtents extents;
  extents.rows = 600;
  extents.columns = 640;
  extents.depth = 64;
  extents.accumulator = f32;
  auto tilesAtOnce = [&] {
    ContractionBlocks blocks =
        chooseBlocks(machine, extents, {6, 2}, 100, 20, 16);
    return blocks.rowTiles * blocks.columnGroups * blocks.chunk;
  };
  int64_t ofF32 = tilesAtOnce();
  extents.factor = f16;
  EXPECT_GT(ofF32, tilesAtOnce());
}

TEST(TileChoice, WidthsLoadTheLeast) {
  // A whole panel where it and its sums fit the registers, else half of one.
  EXPECT_EQ(chooseTileShape(*findMachine("x86-64-v4"), 14, 64, 16).vectors, 2);
  for (const char *name : {"x86-64-v2", "x86-64-v3", "aarch64"})
    EXPECT_EQ(chooseTileShape(*findMachine(name), 14, 64, 16).vectors, 1);
  Machine wide = *findMachine("x86-64-v3");
  wide.vectorRegisters = 64;
  EXPECT_EQ(chooseTileShape(wide, 14, 64, 16).vectors, 2);
}

TEST(ConvolutionShape, EveryTapOfEveryColumnOnce) {
  for (int64_t input : {1, 2, 5, 14, 23})
    for (int64_t kernel : {1, 3, 5})
      for (int64_t stride : {1, 2})
        for (int64_t dilation : {1, 3})
          for (int64_t padding : {0, 1, 4}) {
            SpatialDim dim;
            dim.input = input;
            dim.kernel = kernel;
            dim.stride = stride;
            dim.dilation = dilation;
            dim.padding = padding;
            int64_t room = input + 2 * padding - (kernel - 1) * dilation - 1;
            if (room < 0)
              continue;
            dim.output = room / stride + 1;
            int64_t next = 0;
            for (const ColumnRun &run : splitColumns(dim, 6)) {
              EXPECT_EQ(run.first, next);
              EXPECT_LE(run.width, 6);
              for (int64_t tile = 0; tile < run.count; ++tile)
                for (int64_t r = 0; r < run.width; ++r)
                  for (int64_t tap = 0; tap < kernel; ++tap) {
                    int64_t times = 0;
                    for (const TapRun &taps : run.taps)
                      times +=
                          taps.low <= tap && tap < taps.high && taps.rows[r];
                    int64_t column = run.first + tile * run.width + r;
                    EXPECT_EQ(times, dim.isValid(column, tap) ? 1 : 0);
                  }
              next += run.width * run.count;
            }
            EXPECT_EQ(next, dim.output);
          }
}

} // namespace
