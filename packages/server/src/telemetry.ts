import { Effect, Layer, Logger, type LogLevel, References } from "effect"

/** One JSON object per line on standard error, so that standard output is the operator's. */
export const layerLogs = (level: LogLevel.LogLevel): Layer.Layer<never> =>
  Layer.mergeAll(
    Logger.layer([Logger.withConsoleError(Logger.formatJson)]),
    Layer.succeed(References.MinimumLogLevel, level)
  )

const exporters = Effect.promise(async () => {
  const [sdk, traces, metrics, logs, spanProcessors, metricReaders, logProcessors] = await Promise.all([
    import("@effect/opentelemetry/NodeSdk"),
    import("@opentelemetry/exporter-trace-otlp-http"),
    import("@opentelemetry/exporter-metrics-otlp-http"),
    import("@opentelemetry/exporter-logs-otlp-http"),
    import("@opentelemetry/sdk-trace-base"),
    import("@opentelemetry/sdk-metrics"),
    import("@opentelemetry/sdk-logs")
  ])
  return { sdk, traces, metrics, logs, spanProcessors, metricReaders, logProcessors }
})

/** Traces, metrics and logs over OTLP/HTTP to `endpoint`; without one no library is loaded, and no span is made. */
export const layerOtlp = (endpoint: string | undefined): Layer.Layer<never> =>
  endpoint === undefined ?
    Layer.succeed(References.TracerEnabled, false) :
    Layer.unwrap(Effect.map(exporters, (otel) => {
      const base = endpoint.replace(/\/+$/, "")
      return otel.sdk.layer(() => ({
        resource: { serviceName: "tapeline" },
        spanProcessor: new otel.spanProcessors.BatchSpanProcessor(
          new otel.traces.OTLPTraceExporter({ url: `${base}/v1/traces` })
        ),
        metricReader: new otel.metricReaders.PeriodicExportingMetricReader({
          exporter: new otel.metrics.OTLPMetricExporter({ url: `${base}/v1/metrics` })
        }),
        logRecordProcessor: new otel.logProcessors.BatchLogRecordProcessor({
          exporter: new otel.logs.OTLPLogExporter({ url: `${base}/v1/logs` })
        })
      }))
    }))
