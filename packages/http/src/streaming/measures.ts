import { Metric } from "effect"

/** The number of open streams of answers. */
export const answerStreams = Metric.gauge("tapeline_agent_streams", {
  description: "Streams of answers that are open"
})

/** The number of open streams of notifications. */
export const bellStreams = Metric.gauge("tapeline_bell_streams", {
  description: "Streams of notifications that are open"
})
