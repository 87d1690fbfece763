import { startProgram } from "@tapeline/testing/programs"
import { fileURLToPath } from "node:url"

const program = fileURLToPath(new URL("../../../../server/test/support/provider.mjs", import.meta.url))

/** The provider's name on the sign-in button. */
export const providerLabel = "The desk"

/** An OpenID provider in its own process. */
export interface Provider {
  /** The settings of a service that uses the provider. */
  readonly settings: Readonly<Record<string, string>>
  readonly stop: () => void
}

/** Starts a provider that redirects to the service at this address. */
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
