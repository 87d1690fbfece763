/** A server in a separate process, as `npm start` runs it. */
import { type ChildProcess, spawn } from "node:child_process"
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

const waitForOutput = (child: ChildProcess, pattern: RegExp): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ""
    const append = (chunk: unknown) => {
      text += String(chunk)
      if (pattern.test(text)) resolve(text)
    }
    child.stdout?.on("data", append)
    child.stderr?.on("data", append)
    child.once("close", () => reject(new Error(`the server did not start:\n${text}`)))
  })

/** Starts the server with only the given settings, and waits for output that matches `pattern`. */
export const startServer = async (settings: NodeJS.ProcessEnv, pattern: RegExp): Promise<ServerProcess> => {
  const child = spawn(process.execPath, [join(root, "packages/server/src/main.ts")], {
    env: { ...minimalEnvironment, TAPELINE_LOG_LEVEL: "Error", ...settings }
  })
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
  const startOutput = await waitForOutput(child, pattern)
  return {
    url: /listens on (http:\S+)/u.exec(startOutput)![1]!,
    startOutput,
    stop: async () => {
      child.kill("SIGKILL")
      await ended
    }
  }
}
