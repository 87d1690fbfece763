import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect } from "effect"
import { format } from "node:util"
import { CommandEnvironment } from "../../src/adminCommands/common.ts"
import { runTapeline } from "../../src/adminCommands/tapeline.ts"
import type { ServerProcess } from "./process.ts"
import { adminToken } from "./service.ts"

export interface CommandOutput {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/**
 * Runs the command line `tapeline` in the process of the test, and returns its output. A separate process would take a
 * second for each command.
 */
export const runCommand = (environment: Readonly<Record<string, string>>) => (...args: ReadonlyArray<string>) =>
  Effect.suspend((): Effect.Effect<CommandOutput> => {
    const [stdout, stderr]: [Array<string>, Array<string>] = [[], []]
    const printTo = (lines: Array<string>) => (...values: ReadonlyArray<unknown>) =>
      void lines.push(`${format(...values)}\n`)
    return runTapeline(args).pipe(
      // The command line rejects invalid arguments after it has printed the reason and the help.
      Effect.catch(() => Effect.succeed(1)),
      Effect.map((code) => ({ code, stdout: stdout.join(""), stderr: stderr.join("") })),
      Effect.provideService(CommandEnvironment, environment),
      Effect.provideService(Console.Console, { ...console, log: printTo(stdout), error: printTo(stderr) }),
      Effect.provide(NodeServices.layer)
    )
  })

/** Runs commands that call the admin API of a server. */
export const runCli = ({ address }: Pick<ServerProcess, "address">, token: string = adminToken) =>
  runCommand({ TAPELINE_URL: address, TAPELINE_ADMIN_TOKEN: token })
