package dev.runnel.surface;

import java.net.URI;
import java.time.InstantSource;
import java.util.function.Supplier;
import javax.sql.DataSource;
import okhttp3.OkHttpClient;

/// What a platform gets from the program that it is part of.
///
/// @param http shares the connections of all platforms; its interceptors see the calls of this one
/// @param publicUrl the URL at which Runnel is reached from outside
/// @param database contains the tables of `db/bot`; opened when it is first needed
public record PlatformContext(
    OkHttpClient http, InstantSource clock, URI publicUrl, Supplier<DataSource> database) {}
