import { startProgram } from "@tapeline/testing/programs"
import { fileURLToPath } from "node:url"

const program = fileURLToPath(new URL("../../../../server/test/support/provider.mjs", import.meta.url))

export const providerLabel = "The desk"

export interface Provider {
  /** The settings of a service that uses the OpenID provider. */
  readonly settings: Readonly<Record<string, string>>
  readonly stop: () => void
}

/** Starts an OpenID provider that redirects to the service at a URL. */
export const startProvider = async (url: string): Promise<Provider> => {
  const { end, started } = startProgram({ args: [program, `${url}/v1/account/openid/callback`], pattern: /http\S+/ })
  const [issuer] = await started
  return {
    settings: {
      TAPELINE_PUBLIC_URL: url,
      TAPELINE_OPENID_ISSUER: issuer,
      TAPELINE_OPENID_CLIENT_ID: "tapeline",
      TAPELINE_OPENID_CLIENT_SECRET: "secret-of-the-client",
      TAPELINE_OPENID_SCOPES: "openid profile",
      TAPELINE_OPENID_LABEL: providerLabel,
      TAPELINE_OPENID_PLAN: "trader"
    },
    stop: () => void end("SIGKILL")
  }
}
