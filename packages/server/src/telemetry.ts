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
import { makeOutageCounter, type OutageCounter, Outages } from "./outages.ts"
import type { TelemetrySettings } from "./telemetrySettings.ts"
import { isStoreTrouble, troubleIn } from "./trouble.ts"
import { version } from "./version.ts"

const textOf = (part: unknown): string => typeof part === "string" ? part : Formatter.formatJson(part)

const counted = "Further failures of this cause are counted until all stores answer."

/**
 * Writes one JSON object per line to standard error. Standard output is for the operator. `isFirst` returns false if a
 * failure of a store is counted instead of logged.
 */
const makeJson = (isFirst: OutageCounter["count"]) =>
  Logger.make((options) => {
    const line = Logger.formatStructured.log(options)
    const { message } = line
    const text = typeof message === "string"
      ? message
      : Array.isArray(message)
      ? message.map(textOf).join(" ")
      : textOf(message)
    const trouble = troubleIn(options.cause)
    const write = (message: string) =>
      options.fiber.getRef(Console.Console).error(
        Formatter.formatJson({ ...line, message, cause: trouble ?? line.cause })
      )
    if (trouble === undefined || !isStoreTrouble(options.cause)) return write(text)
    if (isFirst({ message: text, cause: trouble, atMs: options.date.getTime() })) write(`${text}. ${counted}`)
  })

export const layerLogs = (level: LogLevel.LogLevel): Layer.Layer<never> =>
  Layer.unwrap(Effect.sync(() => {
    const outages = makeOutageCounter()
    const all = LogLevel.isLessThanOrEqualTo(level, "Debug")
    return Layer.mergeAll(
      Logger.layer([all ? makeJson(() => true) : makeJson(outages.count)]),
      Layer.succeed(Outages, outages),
      Layer.succeed(References.MinimumLogLevel, level)
    )
  }))

/** The limit of an export request. If the collector does not answer in time, the telemetry is dropped. */
const exportWithin = "5 seconds"

/** The limit of each signal's last export. The three exports run one after the other, within the time of a stop. */
const shutdownTimeout = "400 millis"

/** A short reason why an export failed, without the collector's address, which may contain a password. */
const whyNot = (error: HttpClientError.HttpClientError): string => {
  const { reason } = error
  for (let at: unknown = reason; Predicate.isObject(at); at = "cause" in at ? at.cause : undefined) {
    if ("code" in at && typeof at.code === "string") return at.code
  }
  return reason.description ?? reason._tag
}

/**
 * Logs when the collector stops accepting telemetry, and when it accepts all of it again. Exporters silently drop
 * telemetry that is not accepted. Each signal has its own URL.
 */
const telling = (client: HttpClient.HttpClient): HttpClient.HttpClient => {
  const refused = new Set<string>()
  const fail = (url: string, why: string) =>
    Effect.suspend(() => {
      const first = refused.size === 0
      refused.add(url)
      return first
        ? Effect.logWarning(`OTEL_EXPORTER_OTLP_ENDPOINT: telemetry is not taken there (${why}), and dropped`)
        : Effect.void
    })
  const succeed = (url: string) =>
    Effect.suspend(() =>
      refused.delete(url) && refused.size === 0
        ? Effect.logInfo("OTEL_EXPORTER_OTLP_ENDPOINT: telemetry is taken again")
        : Effect.void
    )
  return HttpClient.transform(client, (response, { url }) =>
    response.pipe(
      Effect.tap(({ status }) => status < 400 ? succeed(url) : fail(url, `status ${status}`)),
      Effect.tapError((error) => fail(url, whyNot(error)))
    ))
}

/**
 * Limits the time of an export request. Exporters wait without a limit, so a silent collector would fill the memory.
 */
const hasty = (client: HttpClient.HttpClient): HttpClient.HttpClient =>
  HttpClient.transform(client, (response, request) =>
    Effect.timeoutOrElse(response, {
      duration: exportWithin,
      orElse: () =>
        Effect.fail(
          new HttpClientError.HttpClientError({
            reason: new HttpClientError.TransportError({ request, description: `no answer within ${exportWithin}` })
          })
        )
    }))

/** The HTTP client of exporters, which limits and monitors the requests of another client. */
export const layerExportClient: Layer.Layer<HttpClient.HttpClient, never, HttpClient.HttpClient> = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(HttpClient.HttpClient, (client) => telling(hasty(client)))
)

/**
 * Exports traces, metrics and logs over OTLP/HTTP (JSON). Without settings, no span is made and nothing is sent. Each
 * layer has its own `service.instance.id`, unless the settings name one.
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
    // Without this, the exporter would also read attributes from the environment of the process.
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({})))
  )
}
