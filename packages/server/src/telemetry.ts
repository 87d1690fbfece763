import { Effect, Layer, Logger, type LogLevel, References } from "effect"
import { FetchHttpClient, HttpClient, HttpClientError } from "effect/http"
import { Otlp } from "effect/observability"

/** One JSON object per line on standard error, so that standard output is the operator's. */
export const layerLogs = (level: LogLevel.LogLevel): Layer.Layer<never> =>
  Layer.mergeAll(
    Logger.layer([Logger.withConsoleError(Logger.formatJson)]),
    Layer.succeed(References.MinimumLogLevel, level)
  )

/** A collector that takes longer than this is taken for gone; what it was sent is dropped. */
const exportWithin = "5 seconds"

/** Three signals are sent off one after the other at the end, all of them within the time that a stop leaves. */
const shutdownTimeout = "400 millis"

/** An exporter waits for its answer without limit: a silent collector would hold ever more telemetry in memory. */
const layerClient = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(
    HttpClient.HttpClient,
    HttpClient.transform((response, request) =>
      Effect.timeoutOrElse(response, {
        duration: exportWithin,
        orElse: () =>
          Effect.fail(
            new HttpClientError.HttpClientError({
              reason: new HttpClientError.TransportError({
                request,
                description: `No answer within ${exportWithin}`
              })
            })
          )
      })
    )
  )
).pipe(Layer.provide(FetchHttpClient.layer))

/** Traces, metrics and logs over OTLP/HTTP (JSON) to `endpoint`; without one no span is made and nothing is sent. */
export const layerOtlp = (endpoint: string | undefined): Layer.Layer<never> =>
  endpoint === undefined
    ? Layer.succeed(References.TracerEnabled, false)
    : Otlp.layerJson({
      baseUrl: endpoint.replace(/\/+$/, ""),
      resource: { serviceName: "tapeline" },
      shutdownTimeout
    }).pipe(Layer.provide(layerClient))
