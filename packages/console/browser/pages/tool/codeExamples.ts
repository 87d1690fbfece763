/** Code examples of a tool call, which read the API key from the environment and never contain the key. */

export interface CallExample {
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  readonly url: string
}

const quoteForShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

export const curlExample = ({ args, tool, url }: CallExample): string =>
  [
    `curl -s ${url}/v1/tools/${tool}`,
    `  -H "authorization: Bearer $TAPELINE_API_KEY"`,
    `  -H 'content-type: application/json'`,
    `  -d ${quoteForShell(JSON.stringify(args))}`
  ].join(" \\\n")

const indentJson = (value: unknown, indent: string): string =>
  JSON.stringify(value, null, 2).replaceAll("\n", `\n${indent}`)

const typescriptLiteral = (value: unknown): string =>
  indentJson(value, "").replaceAll(/^(\s*)"([A-Za-z_]\w*)":/gm, "$1$2:")

export const typescriptExample = ({ args, tool, url }: CallExample): string =>
  `import { createClient } from "@tapeline/client"

const client = createClient({
  url: "${url}",
  key: process.env.TAPELINE_API_KEY!
})
const { data } = await client.tools.${tool}(${Object.keys(args).length === 0 ? "" : typescriptLiteral(args)})
console.log(data)`

export const pythonLiteral = (value: unknown, indent = ""): string => {
  if (value === null || value === undefined) return "None"
  if (typeof value === "boolean") return value ? "True" : "False"
  if (typeof value === "string" || typeof value === "number") return JSON.stringify(value)
  const inner = `${indent}    `
  if (Array.isArray(value)) return `[${value.map((one: unknown) => pythonLiteral(one, indent)).join(", ")}]`
  const entries = Object.entries(value)
  if (entries.length === 0) return "{}"
  const lines = entries.map(([name, one]) => `${inner}${JSON.stringify(name)}: ${pythonLiteral(one, inner)},`)
  return `{\n${lines.join("\n")}\n${indent}}`
}

export const pythonExample = ({ args, tool, url }: CallExample): string =>
  `import os
import requests

response = requests.post(
    "${url}/v1/tools/${tool}",
    headers={"authorization": f"Bearer {os.environ['TAPELINE_API_KEY']}"},
    json=${pythonLiteral(args, "    ")},
    timeout=60,
)
response.raise_for_status()
print(response.json()["data"])`
