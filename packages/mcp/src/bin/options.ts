import { parseArgs } from "node:util"

/** The command-line and environment options of the MCP bridge. */
export interface Options {
  readonly url: string
  readonly key: string
  /** The loopback port for streamable HTTP, or undefined for standard input and output. */
  readonly port: number | undefined
  readonly meta: boolean
  readonly wholeOutputs: boolean
}

/** An error about an invalid option, whose message never contains the API key. */
export class InvalidOptions extends Error {}

export const help = `tapeline-mcp: an MCP server with the tools of a Tapeline service.

  TAPELINE_URL        the service's address, such as https://tapeline.example
  TAPELINE_API_KEY    the API key, tl_live_...; its scopes determine the available tools

  --http PORT         streamable HTTP at http://127.0.0.1:PORT/mcp instead of standard input and output
  --meta              three tools (find, describe, call) instead of the full list
  --whole-outputs     lists the full schemas of results: five times as many tokens
  --version, --help
`

const optionDefinitions = {
  http: { type: "string" },
  meta: { type: "boolean" },
  "whole-outputs": { type: "boolean" },
  version: { type: "boolean" },
  help: { type: "boolean" }
} as const

const parseOptions = (args: ReadonlyArray<string>) => {
  try {
    const { positionals, values } = parseArgs({
      args: [...args],
      options: optionDefinitions,
      strict: true,
      allowPositionals: true
    })
    if (positionals.length === 0) return values
  } catch (error) {
    throw new InvalidOptions(`${error instanceof Error ? error.message : String(error)}\n\n${help}`)
  }
  // The message does not quote the argument, because it may be the API key.
  throw new InvalidOptions(`only options are allowed: environment variables set the address and the key\n\n${help}`)
}

const parsePort = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1
  if (port < 0 || port > 65_535) {
    throw new InvalidOptions("--http must be a port from 0 to 65535 (0: any free port)")
  }
  return port
}

const readVariable = (env: NodeJS.ProcessEnv, name: string, expected: string): string => {
  const value = env[name]?.trim() ?? ""
  if (value === "") throw new InvalidOptions(`${name} is not set: it must be ${expected}`)
  return value
}

/**
 * Parses the command-line options and environment variables. Returns which text to print for `--help` and `--version`,
 * and otherwise the settings of the bridge.
 */
export const readOptions = (
  args: ReadonlyArray<string>,
  env: NodeJS.ProcessEnv
): Options | { readonly print: "help" | "version" } => {
  const values = parseOptions(args)
  if (values.help === true) return { print: "help" }
  if (values.version === true) return { print: "version" }
  const port = parsePort(values.http)
  const url = readVariable(env, "TAPELINE_URL", "the service's address, such as https://tapeline.example")
  const key = readVariable(env, "TAPELINE_API_KEY", "an API key of the service, tl_live_...")
  return { url, key, port, meta: values.meta === true, wholeOutputs: values["whole-outputs"] === true }
}
