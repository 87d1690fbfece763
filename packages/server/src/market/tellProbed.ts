import type { Probed } from "@tapeline/market-live"

const lineOf = ({ outcome, reason, source, told, tookMs, what }: Probed): string => {
  const end = outcome === "answered" ? (told === null ? "" : `, ${told} told`) : `: ${reason ?? ""}`
  return `${outcome.padEnd(14)} ${source.padEnd(12)} ${what} (${tookMs} ms)${end}`
}

/**
 * What a probe found, a line for each question, the troubles last. Sound is what can be: every source that answers says
 * what is expected, and one at least does.
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
      `${answered.length} of ${probed.length} questions were answered; ${drift}`
    ],
    sound: answered.length > 0 && drifted.length === 0
  }
}
