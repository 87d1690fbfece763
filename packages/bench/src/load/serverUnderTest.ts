import { startProgram } from "@tapeline/testing/programs"

export interface ServerUnderTest {
  readonly name: string
  readonly url: string
  /** The API keys of different accounts, which the load uses in turn. */
  readonly keys: ReadonlyArray<string>
  readonly pid: number
  /** The data folder of the server's PostgreSQL, or undefined without PostgreSQL. */
  readonly postgresDir?: string | undefined
  readonly stop: () => Promise<void>
}

/** Starts a program, and waits until the program prints its URL after "listens on". */
export const startServerProgram = async (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = {}
) => {
  const { child, end, started } = startProgram({ args, environment, pattern: /^(?:Tapeline )?listens on (\S+)/m })
  child.stderr!.pipe(process.stderr)
  const { 1: address, input } = await started
  return {
    address: address!,
    lines: input.split("\n"),
    pid: child.pid!,
    stop: async () => void await end("SIGTERM")
  }
}

/** Returns the API keys that a program printed as JSON after "keys", or one placeholder if no keys were printed. */
export const parseKeys = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const line = lines.find((one) => one.startsWith("keys "))
  if (line === undefined) return ["none"]
  // The cast is safe, because the programs of the benches print the keys as a JSON array.
  return JSON.parse(line.slice(5)) as ReadonlyArray<string>
}
