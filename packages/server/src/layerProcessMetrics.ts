import type { StoreUnavailable } from "@tapeline/core"
import { Cause, Effect, Layer, Metric, Option } from "effect"
import { monitorEventLoopDelay } from "node:perf_hooks"

const ready = Metric.gauge("tapeline_ready", {
  description:
    "1 if the process can use the dependency, otherwise 0. While the database is 0, the cluster is not checked"
})

// Prometheus's client for Node uses the same names, and public dashboards expect them.
const startTime = Metric.gauge("process_start_time_seconds", {
  description: "The time at which the process started, in seconds since 1970"
})
const cpuTime = Metric.counter("process_cpu_seconds_total", {
  description: "Processor time of all threads of the process, seconds",
  incremental: true
})
const residentMemory = Metric.gauge("process_resident_memory_bytes", {
  description: "Memory of the process that is in RAM, bytes"
})
const lagP99 = Metric.gauge("nodejs_eventloop_lag_p99_seconds", {
  description: "The 99th percentile of the event loop's delays in the last 15 seconds"
})
const lagMax = Metric.gauge("nodejs_eventloop_lag_max_seconds", {
  description: "The longest delay of the event loop in the last 15 seconds"
})

const sampleInterval = "15 seconds"

/**
 * The interval of the timer that measures delays, in ms. Each measured delay includes the interval, which
 * `toLagSeconds` subtracts.
 */
const timerMs = 20

const toLagSeconds = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e9 - timerMs / 1e3)

const makeProcessSampler = Effect.gen(function*() {
  const delays = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const histogram = monitorEventLoopDelay({ resolution: timerMs })
      histogram.enable()
      return histogram
    }),
    (histogram) => Effect.sync(() => histogram.disable())
  )
  let countedSeconds = 0
  yield* Metric.update(startTime, performance.timeOrigin / 1e3)
  return Effect.suspend(() => {
    const { system, user } = process.cpuUsage()
    const cpuSeconds = (system + user) / 1e6
    const newSeconds = cpuSeconds - countedSeconds
    countedSeconds = cpuSeconds
    const [p99, max] = [toLagSeconds(delays.percentile(99)), toLagSeconds(delays.max)]
    delays.reset()
    return Effect.all([
      Metric.update(cpuTime, newSeconds),
      Metric.update(residentMemory, process.memoryUsage.rss()),
      Metric.update(lagP99, p99),
      Metric.update(lagMax, max)
    ], { discard: true })
  })
})

/** A check of some dependencies, of which the later ones are checked only if the earlier ones are available. */
export interface DependencyCheck {
  readonly dependencies: ReadonlyArray<string>
  /** Fails with the name of the first unavailable dependency. */
  readonly check: Effect.Effect<void, StoreUnavailable>
}

const makeReadinessSampler = ({ check, dependencies }: DependencyCheck): Effect.Effect<void> => {
  const names = new Set(dependencies)
  const findUnavailable = Effect.matchCause(check, {
    onFailure: (cause) =>
      Option.match(Cause.findErrorOption(cause), { onNone: () => "unknown", onSome: (error) => error.store }),
    onSuccess: () => undefined
  })
  return Effect.flatMap(findUnavailable, (unavailable) => {
    if (unavailable !== undefined) names.add(unavailable)
    return Effect.forEach(
      names,
      (dependency) => Metric.update(Metric.withAttributes(ready, { dependency }), dependency === unavailable ? 0 : 1),
      { discard: true }
    )
  })
}

/**
 * Publishes the readiness of each dependency, and the processor time, memory and event-loop delay of the process, until
 * the layer's scope closes. The checks run independently, so a check without an answer delays no other value.
 */
export const layerProcessMetrics = (checks: ReadonlyArray<DependencyCheck>): Layer.Layer<never> =>
  Layer.effectDiscard(Effect.gen(function*() {
    const samplers = [yield* makeProcessSampler, ...checks.map(makeReadinessSampler)]
    yield* Effect.forEach(
      samplers,
      (sample) => Effect.forkScoped(Effect.forever(Effect.andThen(sample, Effect.sleep(sampleInterval)))),
      { discard: true }
    )
  }))
