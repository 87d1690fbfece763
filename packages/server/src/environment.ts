import { editDistance } from "@tapeline/core/engine"
import { configurationPage } from "./configurationPage.ts"

/** The environment variables of Tapeline's command line and tests, which the server does not read. */
const otherKnownVariables: ReadonlyArray<string> = [
  "TAPELINE_URL",
  "TAPELINE_API_KEY",
  "TAPELINE_TEST_FULL",
  "TAPELINE_TEST_SEED"
]

/**
 * Returns whether Kubernetes has set an environment variable, such as `TAPELINE_SERVICE_HOST` or
 * `TAPELINE_DB_PORT_5432_TCP_ADDR` for services whose names begin with "tapeline".
 */
export const isServiceLinkVariable = (name: string, value: string): boolean =>
  /_SERVICE_(HOST|PORT)(_[A-Z0-9_]+)?$/.test(name) || /_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/.test(name) ||
  (name.endsWith("_PORT") && /^(tcp|udp|sctp):\/\//.test(value))

/**
 * Returns the maximum edit distance between a misspelt name and its suggestion: 1 for a short name, 3 for a long name.
 */
const maxEdits = (name: string): number => Math.min(3, Math.max(1, Math.floor(name.length / 5)))

const nearestName = (name: string, names: ReadonlyArray<string>): string | undefined => {
  const candidates = names.map((candidate) => ({ one: candidate, edits: editDistance(name, candidate) })).filter((
    { edits }
  ) => edits <= maxEdits(name))
  return candidates.toSorted((a, b) => a.edits - b.edits)[0]?.one
}

/**
 * Returns the suggestion at the end of an error message: the most similar name in `names`, or all names if no name is
 * similar.
 */
export const suggestName = (name: string, names: ReadonlyArray<string>): string => {
  const nearest = nearestName(name, names)
  return nearest === undefined ? `the names are ${names.join(", ")}` : `the nearest name is ${nearest}`
}

const isWithinOneEdit = (a: string, b: string): boolean => Math.abs(a.length - b.length) <= 1 && editDistance(a, b) <= 1

/**
 * Returns whether `name` is a misspelling of `known`. Ignores case and a final `_MS`. Allows one wrong letter in each
 * word, or one in the whole name without underscores.
 */
const isMisspellingOf = (name: string, known: string): boolean =>
  [known, known.replace(/_MS$/, "")].some((spelling) => {
    const words = name.toUpperCase().split("_")
    const knownWords = spelling.split("_")
    return isWithinOneEdit(words.join(""), knownWords.join("")) ||
      (words.length === knownWords.length && words.every((word, i) => isWithinOneEdit(word, knownWords[i]!)))
  })

/** Matches the names that other programs use for the URL of a database. */
const databaseNamePattern = /^(?:DATABASE|DB|PG|POSTGRES|POSTGRESQL)(?=_URL(?:_FILE)?$|$)/
/** Matches the end of a variable name that other programs use in place of `_URL`. */
const addressSuffixPattern = /(?:(?:_CONNECTION)?_(?:URI|DSN|ADDR|ADDRESS|STRING)|_CONNECTION(?:_URL)?)(?=(?:_FILE)?$)/

/**
 * Matches a PostgreSQL URL or connection string. The pattern also matches quoted texts and the URLs of other drivers,
 * such as JDBC.
 */
const postgresUrlPattern = /^["']?(?:jdbc:)?postgres(?:ql)?(?:\+\w+)?:\/\/|(?:^|\s)host=/i

/** Matches a URL, a path, or a host with a domain or a port, but not a plain word such as `tcp`. */
const addressPattern = /[./:]/

/** Maps variable names that users may confuse with the server's environment variables to the correct names. */
const commonAliases: ReadonlyMap<string, string> = new Map([
  ["OPENAI_API_BASE", "OPENAI_BASE_URL"],
  ["OPENAI_API_BASE_URL", "OPENAI_BASE_URL"],
  ["OPENAI_BASE", "OPENAI_BASE_URL"],
  ["OPENAI_BASE_URI", "OPENAI_BASE_URL"],
  ["OPENAI_ENDPOINT", "OPENAI_BASE_URL"],
  ["OPENAI_URI", "OPENAI_BASE_URL"],
  ["OPENAI_MODEL_NAME", "OPENAI_MODEL"],
  ["OPENAI_TOKEN", "OPENAI_API_KEY"],
  ["TAPELINE_PROXY", "TAPELINE_PROXIES"]
])

/** Returns whether `name` is `known` without one of its inner words, such as `OPENAI_KEY` for `OPENAI_API_KEY`. */
const isMissingOneWord = (name: string, known: string): boolean => {
  const words = known.split("_")
  return words.some((_, i) => i > 0 && i < words.length - 1 && words.toSpliced(i, 1).join("_") === name)
}

const prefix = "TAPELINE_"

/** Returns the server's variable name for a common alias, such as `OPENAI_API_BASE`. */
const findByAlias = (name: string, value: string, known: ReadonlyArray<string>): string | undefined => {
  const upper = name.toUpperCase()
  const urlName = upper.replace(addressSuffixPattern, "_URL").replace(databaseNamePattern, "DATABASE").replace(
    /^DATABASE$/,
    "$&_URL"
  )
  if (urlName === "DATABASE_URL") return postgresUrlPattern.test(value) ? urlName : undefined
  if (urlName !== upper && known.includes(urlName)) return addressPattern.test(value) ? urlName : undefined
  const [longerName, ...others] = known.filter((candidate) =>
    !candidate.startsWith(prefix) && isMissingOneWord(upper, candidate)
  )
  return commonAliases.get(name) ?? (others.length === 0 ? longerName : undefined)
}

/**
 * Returns the text after the prefix `TAPELINE_`, or undefined for a name without the prefix. Accepts one wrong letter
 * in the prefix.
 */
const nameWithoutPrefix = (name: string): string | undefined => {
  const [first = "", ...rest] = name.toUpperCase().split("_")
  return rest.length > 0 && isWithinOneEdit(first, prefix.slice(0, -1)) ? rest.join("_") : undefined
}

/**
 * Returns the known variable name that the user probably meant by a name with the prefix `TAPELINE_`. The known name
 * itself may lack the prefix `TAPELINE_`.
 */
const findMeantPrefixed = (unprefixed: string, value: string, known: ReadonlyArray<string>): string | undefined => {
  const namesByUnprefixed = new Map(known.map((one) => [one.startsWith(prefix) ? one.slice(prefix.length) : one, one]))
  const unprefixedNames = [...namesByUnprefixed.keys()]
  const nearestUnprefixed = nearestName(unprefixed, unprefixedNames) ??
    unprefixedNames.find((one) => isMisspellingOf(unprefixed, one))
  return findByAlias(`${prefix}${unprefixed}`, value, known) ?? findByAlias(unprefixed, value, known) ??
    (nearestUnprefixed === undefined ? nearestUnprefixed : namesByUnprefixed.get(nearestUnprefixed))
}

/**
 * Matches the variable names with which unknown names are compared to detect misspellings. `HOST` and `PORT` are
 * excluded, because too many unrelated names are similar to them.
 */
const comparedPrefixes = /^(TAPELINE|DATABASE|REDIS|OTEL|OPENAI)_/

/**
 * Returns the known variable that the user probably meant by another name. Returns undefined if the environment also
 * contains the known variable.
 */
const findMeantVariable = (
  name: string,
  environment: Readonly<Record<string, string>>,
  known: ReadonlyArray<string>
): string | undefined => {
  const meantName = findByAlias(name, environment[name]!, known) ??
    known.find((one) => comparedPrefixes.test(one) && isMisspellingOf(name, one))
  const isSet = [meantName, meantName?.replace(/_FILE$/, ""), `${meantName}_FILE`].some((one) =>
    one && Object.hasOwn(environment, one)
  )
  return isSet ? undefined : meantName
}

/** Returns the environment variables that have a value that is not empty. */
export const definedVariables = (
  environment: Readonly<Record<string, string | undefined>>
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== "")
  )

/**
 * Returns the environment variables that the server does not read, but whose name begins with `TAPELINE_` or is similar
 * to a known name.
 */
export const unknownVariables = (
  environment: Readonly<Record<string, string>>,
  known: ReadonlyArray<string>
): ReadonlyArray<{ readonly variable: string; readonly message: string }> =>
  Object.entries(environment).flatMap(([variable, value]) => {
    if (known.includes(variable) || otherKnownVariables.includes(variable) || isServiceLinkVariable(variable, value)) {
      return []
    }
    const unprefixed = nameWithoutPrefix(variable)
    const name = unprefixed === undefined
      ? findMeantVariable(variable, environment, known)
      : findMeantPrefixed(unprefixed, value, [...known, ...otherKnownVariables])
    if (unprefixed === undefined && name === undefined) return []
    const message = name === undefined
      ? "there is no such variable. Unset it, or use a name from " + configurationPage
      : `there is no such variable; the nearest name is ${name}. Rename the variable, or unset it`
    return [{ variable, message }]
  })
