/** Variables of this project that the server does not read: those of its command line and of its tests. */
const others: ReadonlyArray<string> = ["TAPELINE_URL", "TAPELINE_API_KEY", "TAPELINE_TEST_FULL", "TAPELINE_TEST_SEED"]

/**
 * What Kubernetes puts into the environment of its own accord where a service's name begins with "tapeline":
 * `TAPELINE_SERVICE_HOST`, `TAPELINE_DB_PORT_5432_TCP_ADDR`, and so on.
 */
export const isOrchestrators = (name: string, value: string): boolean =>
  /_SERVICE_(HOST|PORT)(_[A-Z0-9_]+)?$/.test(name) || /_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/.test(name) ||
  (name.endsWith("_PORT") && /^(tcp|udp|sctp):\/\//.test(value))

/** How many letters must be changed, added, left out or swapped with their neighbour to make one word of another. */
const distance = (a: string, b: string): number => {
  let previous: ReadonlyArray<number> = []
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const changed = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swapped = isSwapped ? previous[j - 2]! + 1 : Infinity
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, changed, swapped))
    }
    previous = row
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

/** Whether two texts differ by at most one letter. Texts of very different lengths are not compared. */
const isOneLetterOff = (a: string, b: string): boolean => Math.abs(a.length - b.length) <= 1 && distance(a, b) <= 1

/** Whether every word of `name` is at most one letter off, or the names are when underscores and case are ignored. */
const isNearMiss = (name: string, known: string): boolean => {
  const upper = name.toUpperCase()
  const words = upper.split("_")
  const knownWords = known.split("_")
  return isOneLetterOff(words.join(""), knownWords.join("")) ||
    (words.length === knownWords.length && words.every((word, i) => isOneLetterOff(word, knownWords[i]!)))
}

/** Names of other programs for a PostgreSQL address. A value with another scheme belongs to another database. */
const isDatabaseAddress = (name: string, value: string): boolean =>
  /^(DATABASE|DB|PG|POSTGRES|POSTGRESQL)_(URL|URI|DSN|CONNECTION_STRING)$/i.test(name) &&
  /^postgres(ql)?:\/\//i.test(value)

/** Names that clients of OpenAI use for variables of the server. */
const otherNames: ReadonlyMap<string, string> = new Map([
  ["OPENAI_API_BASE", "OPENAI_BASE_URL"],
  ["OPENAI_API_BASE_URL", "OPENAI_BASE_URL"],
  ["OPENAI_KEY", "OPENAI_API_KEY"]
])

/** The server's variable with the same meaning as another program's variable. */
const aliasOf = (name: string, value: string): string | undefined =>
  isDatabaseAddress(name, value) ? "DATABASE_URL" : otherNames.get(name)

/** Prefixes of the names that are compared. `HOST` and `PORT` are too short: half of all names are near them. */
const compared = /^(TAPELINE|DATABASE|REDIS|OTEL|OPENAI)_/

/** The known name that a variable was probably meant for; undefined if no name is near, or if the known one is set. */
const meantBy = (
  name: string,
  environment: Readonly<Record<string, string>>,
  known: ReadonlyArray<string>
): string | undefined => {
  const meant = aliasOf(name, environment[name]!) ?? known.find((one) => compared.test(one) && isNearMiss(name, one))
  return meant === undefined || Object.hasOwn(environment, meant) ? undefined : meant
}

/** The variables that are set to something; one that is set to nothing counts as not set. */
export const present = (
  environment: Readonly<Record<string, string | undefined>>
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== "")
  )

/** Variables that the server does not read, and that begin with `TAPELINE_` or nearly have the name of a known one. */
export const unknownVariables = (
  environment: Readonly<Record<string, string>>,
  known: ReadonlyArray<string>
): ReadonlyArray<{ readonly variable: string; readonly message: string }> =>
  Object.entries(environment).flatMap(([variable, value]) => {
    if (known.includes(variable) || others.includes(variable) || isOrchestrators(variable, value)) return []
    const name = meantBy(variable, environment, known) ??
      (variable.startsWith("TAPELINE_") ? nearest(variable, known) : undefined)
    if (name === undefined) return []
    const message = `there is no such variable; the nearest name is ${name}. Rename the variable, or unset it`
    return [{ variable, message }]
  })
