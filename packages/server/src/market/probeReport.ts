import { networkAdvice, type ProbeResult } from "@tapeline/market-live"

const outcomeLabel = (outcome: ProbeResult["outcome"]): string =>
  outcome === "answered" ? "ok" : outcome === "not_configured" ? "needs a key" : outcome

const formatLine = ({ outcome, reason, source, rowCount, tookMs, label }: ProbeResult): string => {
  const details = outcome === "answered" ? (rowCount === null ? "" : `, ${rowCount} rows`) : `: ${reason ?? ""}`
  return `${outcomeLabel(outcome).padEnd(12)} ${source.padEnd(15)} ${label} (${tookMs} ms)${details}`
}

/** Returns one line for each kind of failure, with the names of the failed sources. */
const formatFailuresByOutcome = (others: ReadonlyArray<ProbeResult>): ReadonlyArray<string> =>
  [...Map.groupBy(others, ({ outcome }) => outcomeLabel(outcome))].map(([name, results]) =>
    `${name}: ${[...new Set(results.map(({ source }) => source))].sort().join(", ")}`
  )

/**
 * Formats the results of a probe as one line for each request, failed requests last. `isSound` is true if at least one
 * source answered the probe and all answers have the expected format.
 */
export const formatProbeReport = (
  results: ReadonlyArray<ProbeResult>
): { readonly lines: ReadonlyArray<string>; readonly isSound: boolean } => {
  const answeredProbes = results.filter(({ outcome }) => outcome === "answered")
  const failedProbes = results.filter(({ outcome }) => outcome !== "answered")
  const malformedProbes = failedProbes.filter(({ outcome }) => outcome === "malformed")
  const driftSummary = answeredProbes.length + malformedProbes.length === 0
    ? "no source was reached, so schema changes cannot be detected"
    : malformedProbes.length === 0
    ? "no schema changes: all responses have the expected format"
    : `schema changes: ${malformedProbes.length} responses do not have the expected format`
  return {
    lines: [
      ...[...answeredProbes, ...failedProbes].map(formatLine),
      "",
      ...formatFailuresByOutcome(failedProbes),
      ...(answeredProbes.length === 0 &&
          failedProbes.every(({ outcome }) => outcome === "unreachable" || outcome === "not_configured")
        ? [`no source is reachable: ${networkAdvice}`]
        : []),
      `${answeredProbes.length} of ${results.length} requests were answered; ${driftSummary}`
    ],
    isSound: answeredProbes.length > 0 && malformedProbes.length === 0
  }
}
