import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

const bin = fileURLToPath(new URL("../../src/bin/main.ts", import.meta.url))

const environment = (url: string, key: string) => ({
  PATH: process.env["PATH"] ?? "",
  TAPELINE_URL: url,
  TAPELINE_API_KEY: key
})

export const connectStdio = async (url: string, key: string, args: ReadonlyArray<string> = []) => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [bin, ...args],
    env: environment(url, key),
    stderr: "pipe"
  })
  const client = new Client({ name: "test", version: "1.0.0" })
  // Collects the errors that the client reports for lines of standard output that are no protocol messages.
  const protocolErrors: Array<Error> = []
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the client has no other way to report errors
  client.onerror = (error) => void protocolErrors.push(error)
  await client.connect(transport)
  return { client, unexpectedOutput: protocolErrors }
}

/** Connects the official client to a URL, with the protocol of 2025 or of 2026-07-28. */
export const connectHttp = async (
  url: string,
  key: string,
  mode: "legacy" | "auto",
  fetch?: typeof globalThis.fetch
) => {
  const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode } })
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers: { authorization: `Bearer ${key}` } },
      ...(fetch === undefined ? {} : { fetch })
    })
  )
  return client
}

/** Starts a bridge without a client, and returns its standard error and its exit code. */
export const startBridge = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) => {
  const child = spawn(process.execPath, [bin, ...args], {
    env: { PATH: process.env["PATH"] ?? "", ...env },
    stdio: ["pipe", "pipe", "pipe"]
  })
  const output = { stdout: "", stderr: "" }
  child.stdout.on("data", (chunk) => void (output.stdout += String(chunk)))
  child.stderr.on("data", (chunk) => void (output.stderr += String(chunk)))
  const exitCode = new Promise<number | null>((resolve) => void child.once("close", resolve))
  const waitForOutput = (form: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const check = () => {
        const match = form.exec(output.stderr)
        if (match !== null) resolve(match)
      }
      check()
      child.stderr.on("data", check)
      void exitCode.then(() => reject(new Error(`it ended and said: ${output.stderr}`)))
    })
  return { child, output: output, exitCode, waitForOutput: waitForOutput }
}
