/** The server as `npm start` runs it, in its own process. */
import { type ChildProcess, spawn } from "node:child_process"
import { join } from "node:path"
import { root } from "./manifest.ts"

/** The environment of each process. The compile cache halves the time of later starts. */
export const bareEnvironment: NodeJS.ProcessEnv = {
  PATH: process.env["PATH"],
  NODE_COMPILE_CACHE: join(root, "packages/scripts/dist/compiled")
}

export interface ServerProcess {
  readonly url: string
  /** The output of its start. */
  readonly welcome: string
  /** Stops the server. Its data remains. */
  readonly stop: () => Promise<void>
}

const printed = (child: ChildProcess, until: RegExp): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ""
    const look = (more: unknown) => {
      text += String(more)
      if (until.test(text)) resolve(text)
    }
    child.stdout?.on("data", look)
    child.stderr?.on("data", look)
    child.once("close", () => reject(new Error(`the server did not start:\n${text}`)))
  })

/** Starts the server with only these settings, and waits for output that matches `until`. */
export const startServer = async (settings: NodeJS.ProcessEnv, until: RegExp): Promise<ServerProcess> => {
  const child = spawn(process.execPath, [join(root, "packages/server/src/main.ts")], {
    env: { ...bareEnvironment, TAPELINE_LOG_LEVEL: "Error", ...settings }
  })
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
  const welcome = await printed(child, until)
  return {
    url: /listens on (http:\S+)/u.exec(welcome)![1]!,
    welcome,
    stop: async () => {
      child.kill("SIGKILL")
      await ended
    }
  }
}
