import { Metric } from "effect"

/** How many streams of answers are read at this moment. */
export const openStreams = Metric.gauge("tapeline_agent_streams", {
  description: "Streams of answers that are open"
})
