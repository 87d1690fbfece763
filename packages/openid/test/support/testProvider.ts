import { Effect } from "effect"
import { createSign, generateKeyPairSync } from "node:crypto"
import { createServer, type Server, type ServerResponse } from "node:http"

const keyPairs = {
  own: generateKeyPairSync("rsa", { modulusLength: 2048 }),
  other: generateKeyPairSync("rsa", { modulusLength: 2048 })
}

const encodeBase64Url = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url")

/** How the next responses differ from valid responses. */
export interface ProviderBehavior {
  /** Claims of the ID token, in addition to the valid claims or in place of them. */
  readonly claims?: Readonly<Record<string, unknown>>
  /** The key that signs the ID token: the provider's own key, another key, or no key. */
  readonly signedBy?: "own" | "other" | "nothing"
  /** The path that receives no response. */
  readonly silent?: string
  readonly failing?: string
  readonly huge?: string
  readonly notJson?: string
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly tokenError?: { readonly error: string; readonly error_description?: string }
  readonly userInfo?: Readonly<Record<string, unknown>>
}

interface Request {
  readonly path: string
  readonly body: string
  readonly authorization: string | undefined
}

class Provider {
  url = ""
  nonce = ""
  behavior: ProviderBehavior = {}
  readonly requests: Array<Request> = []
}

const json = (response: ServerResponse, body: object, status = 200) =>
  void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))

const makeIdToken = ({ behavior: { claims, signedBy = "own" }, nonce, url }: Provider): string => {
  const now = Math.floor(Date.now() / 1_000)
  const claimSet = { iss: url, sub: "ada", aud: "tapeline", nonce, iat: now, exp: now + 300, ...claims }
  const text = `${encodeBase64Url({ alg: signedBy === "nothing" ? "none" : "RS256", kid: "1" })}.${
    encodeBase64Url(claimSet)
  }`
  return signedBy === "nothing"
    ? `${text}.`
    : `${text}.${createSign("RSA-SHA256").update(text).sign(keyPairs[signedBy].privateKey, "base64url")}`
}

const metadataPath = "/.well-known/openid-configuration"

/** The valid responses of the provider by path, changed as `behavior` specifies. */
const responders: Readonly<Record<string, (provider: Provider, response: ServerResponse) => void>> = {
  [metadataPath]: ({ behavior: { metadata }, url }, response) =>
    json(response, {
      issuer: url,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      jwks_uri: `${url}/keys`,
      userinfo_endpoint: `${url}/userinfo`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256", "none"],
      ...metadata
    }),
  "/keys": (_, response) =>
    json(response, {
      keys: [{ ...keyPairs.own.publicKey.export({ format: "jwk" }), kid: "1", alg: "RS256", use: "sig" }]
    }),
  "/token": (provider, response) =>
    provider.behavior.tokenError === undefined
      ? json(response, { access_token: "access", token_type: "bearer", id_token: makeIdToken(provider) })
      : json(response, provider.behavior.tokenError, 400),
  "/userinfo": ({ behavior: { userInfo } }, response) =>
    json(response, { sub: "ada", name: "Ada Lovelace", ...userInfo })
}

const respond = (provider: Provider, path: string, response: ServerResponse): void => {
  const { failing, huge: isHuge, notJson, silent } = provider.behavior
  switch (path) {
    case silent:
      return
    case failing:
      return json(response, { error: "<script>", error_description: "<b>secret</b>" }, 500)
    case isHuge:
      return json(response, { padding: "x".repeat(2_000_000) })
    case notJson:
      return void response.writeHead(200, { "content-type": "text/html" }).end("<p>Hello</p>")
    default:
      responders[path]?.(provider, response)
  }
}

/** Starts a provider on the local machine whose responses a test controls. */
export const startTestProvider = Effect.map(
  Effect.acquireRelease(
    Effect.callback<{ readonly provider: Provider; readonly server: Server }>((resume) => {
      const provider = new Provider()
      const server = createServer((request, response) => {
        const path = request.url ?? ""
        const parts: Array<Buffer> = []
        request.on("data", (part: Buffer) => parts.push(part))
        request.on("end", () => {
          const { authorization } = request.headers
          provider.requests.push({ path, body: Buffer.concat(parts).toString(), authorization })
          respond(provider, path, response)
        })
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        provider.url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`
        resume(Effect.succeed({ provider, server }))
      })
    }),
    ({ server }) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  ),
  ({ provider }) => provider
)
