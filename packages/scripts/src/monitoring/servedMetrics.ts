/**
 * The metrics of `/metrics` with their labels. Tests compare the names with the sources, and the labels with a running
 * server.
 */
export interface ServedMetric {
  readonly labels: ReadonlyArray<string>
  readonly isHistogram?: true
  /** Why a server with the simulated market and the offline analyst does not serve the metric. */
  readonly absence?: "live market" | "model provider"
}

const modelLabels = ["gen_ai_operation_name", "gen_ai_provider_name", "gen_ai_request_model"]

const market = (...labels: ReadonlyArray<string>): ServedMetric => ({ labels, absence: "live market" })

export const servedMetrics: Readonly<Record<string, ServedMetric>> = {
  tapeline_calls: { labels: ["tool", "outcome"] },
  tapeline_call_duration_ms: { labels: ["tool"], isHistogram: true },
  tapeline_http_responses: { labels: ["route", "status_class"] },
  tapeline_http_rejections: { labels: ["code"] },
  tapeline_admin_failed_attempts: { labels: [] },
  tapeline_webhook_attempts: { labels: ["result"] },
  tapeline_webhook_oldest_waiting_seconds: { labels: [] },
  tapeline_agent_answers: { labels: ["model", "outcome"] },
  tapeline_agent_steps: { labels: ["model"] },
  tapeline_agent_attempts: { labels: ["model", "purpose"] },
  tapeline_agent_tokens: { labels: ["model", "kind"] },
  tapeline_agent_running: { labels: [] },
  tapeline_agent_oldest_start_time_seconds: { labels: [] },
  tapeline_agent_streams: { labels: [] },
  tapeline_bell_streams: { labels: [] },
  tapeline_task_firings: { labels: ["kind", "outcome"] },
  tapeline_task_watches_judged: { labels: [] },
  tapeline_task_sweep_lag_ms: { labels: [] },
  tapeline_task_sweep_duration_ms: { labels: [], isHistogram: true },
  tapeline_ready: { labels: ["dependency"] },
  process_start_time_seconds: { labels: [] },
  process_cpu_seconds_total: { labels: [] },
  process_resident_memory_bytes: { labels: [] },
  nodejs_eventloop_lag_p99_seconds: { labels: [] },
  nodejs_eventloop_lag_max_seconds: { labels: [] },
  gen_ai_client_token_usage: {
    labels: [...modelLabels, "gen_ai_token_type"],
    isHistogram: true,
    absence: "model provider"
  },
  gen_ai_client_operation_duration: {
    labels: [...modelLabels, "error_type"],
    isHistogram: true,
    absence: "model provider"
  },
  tapeline_model_cost_usd: { labels: ["gen_ai_request_model"], absence: "model provider" },
  tapeline_collect_lag_ms: market("source", "series"),
  tapeline_collect_missing_ms: market("source", "series"),
  tapeline_collect_rows: market("source", "series"),
  tapeline_collect_faults: market("source", "series", "failure"),
  tapeline_source_up: market("source"),
  tapeline_source_last_success_time_seconds: market("source"),
  tapeline_source_blocked: market("source"),
  tapeline_source_limited: market("source"),
  tapeline_source_faults: market("source"),
  tapeline_source_rows_left_out: market("source")
}

/** Returns the labels of a series by its name in queries, such as `..._bucket` of a histogram, or undefined. */
export const findSeriesLabels = (name: string): ReadonlyArray<string> | undefined => {
  // Prometheus itself records `up` for each process.
  if (name === "up") return []
  const metric = servedMetrics[name]
  if (metric !== undefined && metric.isHistogram === undefined) return metric.labels
  const [, histogramName, suffix] = /^(\w+)_(bucket|sum|count)$/u.exec(name) ?? []
  const histogram = histogramName === undefined ? undefined : servedMetrics[histogramName]
  if (histogram?.isHistogram === undefined) return undefined
  return suffix === "bucket" ? [...histogram.labels, "le"] : histogram.labels
}
