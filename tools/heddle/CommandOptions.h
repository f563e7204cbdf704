// The options of each command on the command line.

#ifndef HEDDLE_TOOLS_HEDDLE_COMMANDOPTIONS_H
#define HEDDLE_TOOLS_HEDDLE_COMMANDOPTIONS_H

#include "heddle/Commands/CallCommands.h"
#include "heddle/Commands/CompileCommand.h"
#include "heddle/Commands/InformationCommands.h"
#include "heddle/Commands/InspectCommands.h"
#include "heddle/Driver/Limits.h"
#include "heddle/Testing/CompareCommand.h"
#include "heddle/Testing/TestCommand.h"

#include <CLI/CLI.hpp>

/// What every command takes.
void addCommon(CLI::App &app, heddle::CommonOptions &common);

/// What one command takes besides, into `command`.
void addOptions(CLI::App &app, heddle::CheckCommand &command);
void addOptions(CLI::App &app, heddle::CompileCommand &command);
void addOptions(CLI::App &app, heddle::RunCommand &command);
void addOptions(CLI::App &app, heddle::CompareCommand &command);
void addOptions(CLI::App &app, heddle::BenchCommand &command);
void addOptions(CLI::App &app, heddle::InspectCommand &command);
void addOptions(CLI::App &app, heddle::VerifyCommand &command);
void addOptions(CLI::App &app, heddle::ExplainCommand &command);
void addOptions(CLI::App &app, heddle::TestCommand &command);

#endif // HEDDLE_TOOLS_HEDDLE_COMMANDOPTIONS_H
