/** Starts a server in a separate process, as `npm start` does. */
import { startProgram } from "@tapeline/testing/programs"
import { join } from "node:path"
import { root } from "./manifest.ts"

/** The environment of each server process, with a compile cache that halves the time of later starts. */
export const minimalEnvironment: NodeJS.ProcessEnv = {
  PATH: process.env["PATH"],
  NODE_COMPILE_CACHE: join(root, "packages/scripts/dist/compiled")
}

export interface ServerProcess {
  readonly url: string
  readonly startOutput: string
  readonly stop: () => Promise<void>
}

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
