package dev.runnel.console.view;

import java.util.List;
import java.util.function.Supplier;

/// A row of a list of runs on a page that is kept up to date.
///
/// @param run the id of the run
/// @param shown what it shows, besides the message and times that pass
/// @param message on one line
public record LiveRow(String run, List<Object> shown, String message, Supplier<String> html) {}
