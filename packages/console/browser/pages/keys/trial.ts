import type { Scope } from "@tapeline/core/specifications"

/**
 * Lines for a shell that show at once that a key works: what it opens and costs little, or the account's usage, which
 * every key may read.
 */
export const trialOf = (key: string, scopes: ReadonlyArray<Scope>, url: string): string => {
  const header = `-H "authorization: Bearer $TAPELINE_API_KEY"`
  const call = scopes.includes("read:market")
    ? `curl -s ${url}/v1/tools/get_price \\\n  ${header} \\\n  -H 'content-type: application/json' \\\n  -d '{"coin":"BTC"}'`
    : `curl -s ${url}/v1/usage \\\n  ${header}`
  return `export TAPELINE_API_KEY=${key}\n${call}`
}
