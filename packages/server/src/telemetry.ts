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
 * One JSON object per line on standard error, so that standard output is the operator's. `isFirst` returns false if a
 * failure of a store is counted instead.
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

/** A collector that takes longer than this is taken for gone; what it was sent is dropped. */
const exportWithin = "5 seconds"

/** Three signals are sent off one after the other at the end, all of them within the time that a stop leaves. */
const shutdownTimeout = "400 millis"

/** Why a collector took nothing, in a few words and without its address, which may hold a password. */
const whyNot = (error: HttpClientError.HttpClientError): string => {
  const { reason } = error
  for (let at: unknown = reason; Predicate.isObject(at); at = "cause" in at ? at.cause : undefined) {
    if ("code" in at && typeof at.code === "string") return at.code
  }
  return reason.description ?? reason._tag
}

/**
 * Tells the log when telemetry is not taken any more, and when all of it is again: exporters drop what nobody takes,
 * and say nothing. Each signal has an address of its own.
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

/** An exporter waits for its answer without limit: a silent collector would hold ever more telemetry in memory. */
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

/** What exporters send with, over a client of HTTP. */
export const layerExportClient: Layer.Layer<HttpClient.HttpClient, never, HttpClient.HttpClient> = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(HttpClient.HttpClient, (client) => telling(hasty(client)))
)

/**
 * Exports traces, metrics and logs over OTLP/HTTP (JSON). Without settings no span is made and nothing is sent. Each
 * layer is an instance of the service of its own, unless the settings name one.
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
    // The exporter would read the attributes of the process's environment too.
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({})))
  )
}
