/** A server in a separate process, as `npm start` runs it. */
import { startProgram } from "@tapeline/testing/programs"
import { join } from "node:path"
import { root } from "./manifest.ts"

/** The environment of each server process. The compile cache halves the time of later starts. */
export const minimalEnvironment: NodeJS.ProcessEnv = {
  PATH: process.env["PATH"],
  NODE_COMPILE_CACHE: join(root, "packages/scripts/dist/compiled")
}

export interface ServerProcess {
  readonly url: string
  /** The output of the server's start. */
  readonly startOutput: string
  /** Stops the server. The data of the server remains. */
  readonly stop: () => Promise<void>
}

/** Starts the server with only the given settings, and waits for output that matches `pattern`. */
export const startServer = async (settings: NodeJS.ProcessEnv, pattern: RegExp): Promise<ServerProcess> => {
  const { end, started } = startProgram({
    args: [join(root, "packages/server/src/main.ts")],
    environment: { ...minimalEnvironment, TAPELINE_LOG_LEVEL: "Error", ...settings },
    pattern
  })
  const { input: startOutput } = await started
  return {
    url: /listens on (http:\S+)/u.exec(startOutput)![1]!,
    startOutput,
    stop: async () => void await end("SIGKILL")
  }
}
