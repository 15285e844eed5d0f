package dev.runnel.surface;

import java.net.URI;
import java.time.InstantSource;
import java.util.function.Supplier;
import javax.sql.DataSource;
import okhttp3.OkHttpClient;

/// What the server provides to a platform.
///
/// @param http shares the connections of all platforms; its interceptors see this platform's calls
/// @param publicUrl the URL at which Runnel is reached from outside
/// @param database contains the tables of `db/bot`; opened when it is first needed
public record PlatformContext(
    OkHttpClient http, InstantSource clock, URI publicUrl, Supplier<DataSource> database) {}
