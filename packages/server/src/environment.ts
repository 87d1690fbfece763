/** Variables of this project that are not the server's: its command line's, and those of its tests. */
const others: ReadonlyArray<string> = ["TAPELINE_URL", "TAPELINE_API_KEY", "TAPELINE_TEST_FULL", "TAPELINE_TEST_SEED"]

/**
 * What Kubernetes puts into the environment of its own accord where a service's name begins with "tapeline":
 * `TAPELINE_SERVICE_HOST`, `TAPELINE_DB_PORT_5432_TCP_ADDR`, and so on.
 */
export const isOrchestrators = (name: string, value: string): boolean =>
  /_SERVICE_(HOST|PORT)(_[A-Z0-9_]+)?$/.test(name) || /_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/.test(name) ||
  (name.endsWith("_PORT") && /^(tcp|udp|sctp):\/\//.test(value))

/** How many letters must be changed, added or left out to make one word of another. */
const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (const letter of a) {
    const next = [row[0]! + 1]
    for (let i = 1; i <= b.length; i++) {
      next.push(Math.min(row[i]! + 1, next[i - 1]! + 1, row[i - 1]! + (letter === b[i - 1] ? 0 : 1)))
    }
    row = next
  }
  return row[b.length]!
}

/** The one of `names` that is written most like `name`. */
export const nearest = (name: string, names: ReadonlyArray<string>): string => {
  // Some names have no prefix of ours: TAPELINE_PROT is most likely meant for PORT. Of two as near the one that has it.
  const bare = name.replace(/^TAPELINE_/, "")
  const apart = (one: string) => Math.min(distance(name, one), distance(bare, one) + 0.5)
  return names.reduce((best, one) => apart(one) < apart(best) ? one : best)
}

/** Others read variables of this prefix too, as the provider's own client does: what is nearly ours is meant for us. */
const isMisspelt = (name: string, known: ReadonlyArray<string>): boolean =>
  name.startsWith("OPENAI_") && known.some((one) => one.startsWith("OPENAI_") && distance(name, one) <= 2)

/** The variables that are set to something; one that is set to nothing counts as not set. */
export const present = (
  environment: Readonly<Record<string, string | undefined>>
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== "")
  )

/** What is set under our prefix, or nearly as a provider's variable, and means nothing: a known name, misspelt. */
export const unknownVariables = (
  environment: Readonly<Record<string, string>>,
  known: ReadonlyArray<string>
): ReadonlyArray<{ readonly variable: string; readonly message: string }> =>
  Object.entries(environment)
    .filter(([name, value]) =>
      (name.startsWith("TAPELINE_") || isMisspelt(name, known)) && !known.includes(name) && !others.includes(name) &&
      !isOrchestrators(name, value)
    )
    .map(([variable]) => ({
      variable,
      message: `there is no such variable; the nearest name is ${nearest(variable, known)}`
    }))
