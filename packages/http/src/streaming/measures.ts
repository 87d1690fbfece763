import { Metric } from "effect"

/** How many streams of answers are read at this moment. */
export const answerStreams = Metric.gauge("tapeline_agent_streams", {
  description: "Streams of answers that are open"
})

/** How many streams of notifications are. */
export const bellStreams = Metric.gauge("tapeline_bell_streams", {
  description: "Streams of notifications that are open"
})
