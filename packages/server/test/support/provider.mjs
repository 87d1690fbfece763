// An OpenID provider on this machine that accepts any login, and redirects to the URL in the argument.
import { createServer } from "node:http"
import { Provider } from "oidc-provider"

const [redirectUri] = process.argv.slice(2)

const server = createServer()
server.listen(0, "127.0.0.1", () => {
  const issuer = `http://127.0.0.1:${server.address().port}`
  const provider = new Provider(issuer, {
    clients: [{ client_id: "tapeline", client_secret: "secret-of-the-client", redirect_uris: [redirectUri] }],
    claims: { openid: ["sub"], profile: ["name", "desk"] },
    pkce: { required: () => true },
    cookies: { keys: ["of-this-test"] },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => Promise.resolve({ sub: id, name: `Trader ${id}`, desk: id === "nina" ? "night" : "day" })
    }),
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId })
      grant.addOIDCScope("openid profile")
      await grant.save()
      return grant
    }
  })
  server.on("request", provider.callback())
  process.stdout.write(`${issuer}\n`)
})
