import { networkAdvice, type Probed } from "@tapeline/market-live"

/** The displayed name of an outcome. */
const called = (outcome: Probed["outcome"]): string =>
  outcome === "answered" ? "ok" : outcome === "not_configured" ? "needs a key" : outcome

const lineOf = ({ outcome, reason, source, told, tookMs, what }: Probed): string => {
  const end = outcome === "answered" ? (told === null ? "" : `, ${told} told`) : `: ${reason ?? ""}`
  return `${called(outcome).padEnd(12)} ${source.padEnd(15)} ${what} (${tookMs} ms)${end}`
}

/** One line for each kind of failure, with its sources. */
const troublesOf = (others: ReadonlyArray<Probed>): ReadonlyArray<string> =>
  [...Map.groupBy(others, ({ outcome }) => called(outcome))].map(([name, own]) =>
    `${name}: ${[...new Set(own.map(({ source }) => source))].sort().join(", ")}`
  )

/**
 * The result of a probe: one line for each request, failures last. `sound` is true if at least one source answered and
 * no answer has an unexpected format.
 */
export const tellProbed = (
  probed: ReadonlyArray<Probed>
): { readonly lines: ReadonlyArray<string>; readonly sound: boolean } => {
  const answered = probed.filter(({ outcome }) => outcome === "answered")
  const others = probed.filter(({ outcome }) => outcome !== "answered")
  const drifted = others.filter(({ outcome }) => outcome === "malformed")
  const drift = answered.length + drifted.length === 0
    ? "nobody could be reached, so nothing is known of drift"
    : drifted.length === 0
    ? "no drift: what answers says what is expected"
    : `drift: ${drifted.length} answers are not as expected`
  return {
    lines: [
      ...[...answered, ...others].map(lineOf),
      "",
      ...troublesOf(others),
      ...(answered.length === 0 &&
          others.every(({ outcome }) => outcome === "unreachable" || outcome === "not_configured")
        ? [`no source can be reached: ${networkAdvice}`]
        : []),
      `${answered.length} of ${probed.length} questions were answered; ${drift}`
    ],
    sound: answered.length > 0 && drifted.length === 0
  }
}
