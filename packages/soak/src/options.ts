import { parseArgs } from "node:util"

/** The database of the service during a soak test. */
export type DatabaseKind = "postgres" | "pglite"

export interface SoakOptions {
  readonly ground: DatabaseKind
  /** The seed of the random load and faults. Even with equal seeds, the order of events varies between machines. */
  readonly seed: number
  readonly rounds: number
  readonly callers: number
  /** The maximum duration of a fault, in ms. */
  readonly longestMs: number
  readonly print: (line: string) => void
}

const usage = `npm run soak -- [--on postgres|pglite|both] [--rounds 100] [--callers 16] [--longest 12000] [--seed N]`

const parseInteger = (name: string, text: string | undefined, defaultValue: number): number => {
  const value = text === undefined ? defaultValue : Number(text)
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`--${name} must be a whole number.\n${usage}`)
  return value
}

/**
 * Parses the command line.
 * @throws Error, with the usage, if the command line is invalid.
 */
export const parseOptions = (args: ReadonlyArray<string>): ReadonlyArray<Omit<SoakOptions, "print">> => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      on: { type: "string" },
      rounds: { type: "string" },
      callers: { type: "string" },
      longest: { type: "string" },
      seed: { type: "string" }
    }
  })
  const databaseOption = values.on ?? "both"
  const databaseKinds: ReadonlyArray<DatabaseKind> = databaseOption === "both"
    ? ["postgres", "pglite"]
    : databaseOption === "postgres" || databaseOption === "pglite"
    ? [databaseOption]
    : []
  if (databaseKinds.length === 0) throw new RangeError(`--on must be postgres, pglite or both.\n${usage}`)
  const rounds = parseInteger("rounds", values.rounds, 100)
  const callers = parseInteger("callers", values.callers, 16)
  const seed = parseInteger("seed", values.seed, Math.floor(Math.random() * 2 ** 31))
  const longestMs = parseInteger("longest", values.longest, 12_000)
  return databaseKinds.map((ground) => ({ ground, rounds, callers, seed, longestMs }))
}
