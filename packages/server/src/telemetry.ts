import {
  ConfigProvider,
  Console,
  Effect,
  Formatter,
  Layer,
  Logger,
  LogLevel,
  Predicate,
  Redacted,
  References
} from "effect"
import { FetchHttpClient, HttpClient, HttpClientError } from "effect/http"
import { Otlp } from "effect/observability"
import { randomUUID } from "node:crypto"
import {
  clusterRecoveryMessage,
  findStoreFailure,
  makeOutageCounter,
  type OutageCounter,
  outageMessageOf,
  Outages
} from "./outages.ts"
import type { TelemetrySettings } from "./telemetrySettings.ts"
import { version } from "./version.ts"

const formatPart = (part: unknown): string => typeof part === "string" ? part : Formatter.formatJson(part)

const countedNotice = "Further failures are counted until all stores are available."

/**
 * Creates a logger that writes one JSON object per line to standard error. Writes a failure of a store only if
 * `isFirst` returns true, as a warning. Without `isFirst`, writes every message unchanged.
 */
const makeJsonLogger = (isFirst?: OutageCounter["record"]) =>
  Logger.make((options) => {
    const line = Logger.formatStructured.log(options)
    const { message } = line
    const text = typeof message === "string"
      ? message
      : Array.isArray(message)
      ? message.map(formatPart).join(" ")
      : formatPart(message)
    const failure = findStoreFailure(text, options.cause)
    const cause = failure?.cause ?? outageMessageOf(options.cause) ?? line.cause
    const write = (changes: { readonly message: string; readonly level?: "WARN" }) =>
      options.fiber.getRef(Console.Console).error(Formatter.formatJson({ ...line, cause, ...changes }))
    if (isFirst === undefined) return write({ message: text })
    // `outages.ts` logs the end of an outage of all stores later.
    if (text === clusterRecoveryMessage) return
    if (failure === undefined) return write({ message: text })
    if (isFirst({ ...failure, message: text, atMs: options.date.getTime() })) {
      write({ message: `${text}. ${countedNotice}`, level: "WARN" })
    }
  })

export const layerLogs = (level: LogLevel.LogLevel): Layer.Layer<never> =>
  Layer.unwrap(Effect.sync(() => {
    const outages = makeOutageCounter()
    const logsEverything = LogLevel.isLessThanOrEqualTo(level, "Debug")
    return Layer.mergeAll(
      Logger.layer([logsEverything ? makeJsonLogger() : makeJsonLogger(outages.record)]),
      Layer.succeed(Outages, outages),
      Layer.succeed(References.MinimumLogLevel, level)
    )
  }))

/** The maximum duration of an export request to the telemetry collector, after which the telemetry is dropped. */
const exportTimeout = "5 seconds"

/** While the server stops, the maximum duration of the last export of each kind of telemetry. */
const shutdownTimeout = "400 millis"

/** Returns a short reason of a failed export, without the collector's URL, which may contain a password. */
const failureReason = (error: HttpClientError.HttpClientError): string => {
  const { reason } = error
  for (let cause: unknown = reason; Predicate.isObject(cause); cause = "cause" in cause ? cause.cause : undefined) {
    if ("code" in cause && typeof cause.code === "string") return cause.code
  }
  return reason.description ?? reason._tag
}

/**
 * Logs when the collector stops accepting telemetry, and when the collector accepts all telemetry again. The exporters
 * drop rejected telemetry without a log message.
 */
const withFailureLogs = (client: HttpClient.HttpClient): HttpClient.HttpClient => {
  const failingUrls = new Set<string>()
  const reportFailure = (url: string, reason: string) =>
    Effect.suspend(() => {
      const isFirst = failingUrls.size === 0
      failingUrls.add(url)
      return isFirst
        ? Effect.logWarning(
          `OTEL_EXPORTER_OTLP_ENDPOINT: the collector does not accept telemetry (${reason}), so it is dropped`
        )
        : Effect.void
    })
  const reportSuccess = (url: string) =>
    Effect.suspend(() =>
      failingUrls.delete(url) && failingUrls.size === 0
        ? Effect.logInfo("OTEL_EXPORTER_OTLP_ENDPOINT: the collector accepts telemetry again")
        : Effect.void
    )
  return HttpClient.transform(client, (response, { url }) =>
    response.pipe(
      Effect.tap(({ status }) => status < 400 ? reportSuccess(url) : reportFailure(url, `status ${status}`)),
      Effect.tapError((error) => reportFailure(url, failureReason(error)))
    ))
}

/** Limits the duration of export requests. Telemetry for an unresponsive collector would otherwise fill the memory. */
const withExportTimeout = (client: HttpClient.HttpClient): HttpClient.HttpClient =>
  HttpClient.transform(client, (response, request) =>
    Effect.timeoutOrElse(response, {
      duration: exportTimeout,
      orElse: () =>
        Effect.fail(
          new HttpClientError.HttpClientError({
            reason: new HttpClientError.TransportError({ request, description: `no response within ${exportTimeout}` })
          })
        )
    }))

/** An HTTP client for telemetry exporters, which limits the duration of requests and logs failures. */
export const layerExportClient: Layer.Layer<HttpClient.HttpClient, never, HttpClient.HttpClient> = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(HttpClient.HttpClient, (client) => withFailureLogs(withExportTimeout(client)))
)

/**
 * Exports traces, metrics and logs with OTLP/HTTP (JSON). Without settings, exports nothing and creates no spans. Each
 * telemetry layer has its own `service.instance.id`, unless the settings contain one.
 */
export const layerOtlp = (settings: TelemetrySettings | undefined): Layer.Layer<never> => {
  if (settings === undefined) return Layer.succeed(References.TracerEnabled, false)
  const { attributes, endpoint, headers, serviceName } = settings
  return Otlp.layerJson({
    baseUrl: endpoint,
    headers: Redacted.value(headers),
    resource: {
      serviceName,
      serviceVersion: attributes["service.version"] ?? version,
      attributes: { "service.instance.id": randomUUID(), ...attributes }
    },
    shutdownTimeout
  }).pipe(
    Layer.provide(layerExportClient),
    Layer.provide(FetchHttpClient.layer),
    // Without an empty configuration, the exporter would also read attributes from the process's environment variables.
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({})))
  )
}
