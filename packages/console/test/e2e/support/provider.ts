import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

const program = fileURLToPath(new URL("../../../../server/test/support/provider.mjs", import.meta.url))

/** What the button of the provider calls it. */
export const providerLabel = "The desk"

/** Somebody's provider of identities, in a process of its own. */
export interface Provider {
  /** What a service is told of it that stands at this address. */
  readonly settings: Readonly<Record<string, string>>
  readonly stop: () => void
}

/** Starts one that leads back to the service at this address. */
export const startProvider = async (url: string): Promise<Provider> => {
  const child = spawn(process.execPath, [program, `${url}/v1/account/openid/callback`], {
    env: { PATH: process.env["PATH"] ?? "" },
    stdio: ["ignore", "pipe", "ignore"]
  })
  const [issuer] = await once(child.stdout.setEncoding("utf8"), "data", { signal: AbortSignal.timeout(60_000) })
  return {
    settings: {
      TAPELINE_PUBLIC_URL: url,
      TAPELINE_OPENID_ISSUER: String(issuer).trim(),
      TAPELINE_OPENID_CLIENT_ID: "tapeline",
      TAPELINE_OPENID_CLIENT_SECRET: "secret-of-the-client",
      TAPELINE_OPENID_SCOPES: "openid profile",
      TAPELINE_OPENID_LABEL: providerLabel,
      TAPELINE_OPENID_PLAN: "trader"
    },
    stop: () => void child.kill("SIGKILL")
  }
}
