import type { Scope } from "@tapeline/core/specifications"

/**
 * Returns shell commands that test an API key with a cheap tool call. If the key's scopes forbid the tool call, the
 * commands request the account's usage.
 */
export const shellExample = (key: string, scopes: ReadonlyArray<Scope>, url: string): string => {
  const header = `-H "authorization: Bearer $TAPELINE_API_KEY"`
  const call = scopes.includes("read:market")
    ? `curl -s ${url}/v1/tools/get_price \\\n  ${header} \\\n  -H 'content-type: application/json' \\\n  -d '{"coin":"BTC"}'`
    : `curl -s ${url}/v1/usage \\\n  ${header}`
  return `export TAPELINE_API_KEY=${key}\n${call}`
}
