import { assert, layer } from "@effect/vitest"
import { type Json, makeApi, makeApiWithParts, sampleProblems, withOpenApiDocument } from "@tapeline/api"
import { makeCatalogue, specifications } from "@tapeline/core"
import { Effect, Schema } from "effect"
import { HttpServer } from "effect/http"
import { OpenApi } from "effect/http-api"
import { createHash } from "node:crypto"
import { OpenApi31 } from "./openApi31.ts"
import { layerTestServer, sendRequest } from "./testServer.ts"

/** The OpenAPI document of all tools, as parsed JSON. */
const document = OpenApi.fromApi(withOpenApiDocument(makeApi(specifications))) as unknown as Json
const resolve = (value: Json): Json =>
  value["$ref"] === undefined
    ? value
    : resolve(value["$ref"].slice(2).split("/").reduce((at: Json, name: string) => at[name], document))
const operations = Object.entries<Json>(document["paths"]).flatMap(([path, item]) =>
  Object.entries<Json>(item).map(([method, operation]) => ({ name: `${method} ${path}`, path, method, operation }))
)
const statusesOf = (path: string, method: string) => Object.keys(document["paths"][path][method].responses).sort()

layer(layerTestServer(), { excludeTestServices: true })("the OpenAPI document", (it) => {
  it("is valid OpenAPI 3.1, resolves every reference, and uses every component", () => {
    Schema.decodeUnknownSync(OpenApi31, { errors: "all", onExcessProperty: "error" })(document)
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1]!)
    assert.isAtLeast(refs.length, 100)
    for (const $ref of new Set(refs)) assert.isObject(resolve({ $ref }), $ref)
    const usedReferences = new Set(refs)
    for (const [kind, components] of Object.entries<Json>(document["components"])) {
      if (kind === "securitySchemes") continue
      for (const name of Object.keys(components)) {
        assert.isTrue(usedReferences.has(`#/components/${kind}/${name}`), `${kind} ${name} is used by nothing`)
      }
    }
    const ids = operations.map(({ operation }) => operation["operationId"])
    assert.strictEqual(new Set(ids).size, ids.length)
  })

  it("declares keys as bearer tokens and the session as a cookie", () => {
    const { admin, key, session } = document["components"].securitySchemes
    assert.deepInclude(key, { scheme: "bearer", type: "http" })
    assert.deepInclude(admin, { scheme: "bearer", type: "http" })
    assert.deepInclude(session, { in: "cookie", name: "__Host-tapeline_session", type: "apiKey" })
    for (const { name, operation, path } of operations) {
      const isOwn = path.startsWith("/v1/account") && !/\/(sign-in|ways|openid|callback)$/.test(path)
      const schemes = operation["security"].flatMap(Object.keys)
      if (isOwn) assert.deepStrictEqual(schemes, ["session"], name)
      else assert.strictEqual(schemes.includes("session"), schemes.includes("key"), name)
    }
  })

  it("omits sessions for a service without sign-in, and keeps everything else", () => {
    const parts = {
      accountData: true,
      administration: true,
      analyst: true,
      backups: true,
      sessions: false,
      openId: false,
      webhooks: true
    }
    const documentWithoutParts: Json = OpenApi.fromApi(withOpenApiDocument(makeApiWithParts(specifications, parts)))
    assert.notMatch(
      JSON.stringify(documentWithoutParts),
      /set-cookie|__Host|cross_site|CrossSite|other_account|OtherAccount|link_refused|session_required|SessionRequired/
    )
    assert.deepStrictEqual(
      Object.keys(documentWithoutParts["paths"]),
      Object.keys(document["paths"]).filter((path) => !path.startsWith("/v1/account") && !path.endsWith("/links"))
    )
    const { operation } = operations.find(({ name }) => name === "get /v1/usage")!
    assert.deepStrictEqual(
      Object.keys(documentWithoutParts["paths"]["/v1/usage"].get.responses),
      Object.keys(operation["responses"])
    )
    // In an OpenAPI document without sessions, any key can call the operation, so the status 403 has two causes.
    const { $ref } = documentWithoutParts["paths"]["/v1/usage"].get.responses[403]
    const refused = JSON.stringify(documentWithoutParts["components"].responses[$ref.split("/").at(-1)])
    assert.deepStrictEqual(refused.match(/\w+Problem(?=")/g)?.sort(), [
      "AccountSuspendedProblem",
      "AddressNotAllowedProblem"
    ])
    Schema.decodeUnknownSync(OpenApi31, { errors: "all", onExcessProperty: "error" })(documentWithoutParts)
  })

  it("has an example and the headers of every response, and an example of every request body", () => {
    for (const { name, operation } of operations) {
      const bodies: Array<Json> = Object.entries<Json>(operation["responses"]).map(([status, response]) => ({
        location: `${name} ${status}`,
        ...resolve(response)
      }))
      for (const { headers, location } of bodies) {
        assert.containsAllKeys(headers, ["x-request-id", "content-language"], location)
      }
      if (operation["requestBody"] !== undefined) bodies.push({ location: `${name} body`, ...operation["requestBody"] })
      for (const { content, location } of bodies) {
        for (const media of Object.values<Json>(content ?? {})) {
          // Images and the metrics page have no examples in the document.
          if (media["schema"].format === "binary" || location === "get /metrics 200") continue
          const examples = media["examples"] ?? { only: { value: media["example"] } }
          assert.isNotEmpty(Object.keys(examples), location)
          for (const { value } of Object.values<Json>(examples)) assert.isDefined(value, location)
        }
      }
    }
  })

  it("has example results that match the tools' result schemas", () => {
    for (const { name, result } of specifications) {
      const { examples } = document["paths"][`/v1/tools/${name}`].post.responses[200].content["application/json"]
      const { data } = examples.answered.value
      // The codec of each result can decode its own encoded output.
      Schema.decodeUnknownSync(result)(data)
      assert.strictEqual(examples.failed.value.credits_used, 0)
      assert.isObject(examples.failed.value.data.error)
    }
  })

  it("restricts names and timestamps to what the service accepts", () => {
    const { properties } = resolve(
      document["paths"]["/admin/v1/accounts/{id}/keys"].post.requestBody.content["application/json"].schema
    )
    const takes = (schema: Json, text: string): boolean =>
      text.length >= (schema["minLength"] ?? 0) && text.length <= (schema["maxLength"] ?? Infinity) &&
      [schema, ...(schema["allOf"] ?? [])].every(({ pattern }) =>
        pattern === undefined || new RegExp(pattern, "u").test(text)
      )
    for (const name of ["laptop", "노트북 2", " x "]) assert.isTrue(takes(properties.name, name), name)
    for (const name of ["", " ", "a\nb", "\u0000", "\u2028", "n".repeat(101)]) {
      assert.isFalse(takes(properties.name, name), JSON.stringify(name))
    }
    const instant = properties.expires_at
    assert.isTrue(takes(instant, "2027-01-31T00:00:00Z"))
    for (const text of ["2027-01-31", "2027-01-31T00:00:00+09:00", "2027-01-31T00:00:00.123456Z"]) {
      assert.isFalse(takes(instant, text), text)
    }
  })

  it("documents 400, 401, 402, 403, 404 and 429 on every operation, and marks those that it does not return", () => {
    const documented = ["400", "401", "402", "403", "404", "429"]
    const withoutKey = ["401", "402", "403", "404", "429"]
    const notReturned: Readonly<Record<string, ReadonlyArray<string>>> = {
      "get /v1/tools": ["402", "404"],
      "get /v1/usage": ["402", "404"],
      "post /v1/agent/messages": [],
      "post /v1/agent/stream": [],
      "get /v1/agent/resume/{conv_id}": ["402"],
      "post /v1/agent/cancel/{conv_id}": ["402"],
      "get /v1/agent/proposals/{proposal_id}": ["402"],
      "post /v1/agent/proposals/{proposal_id}/accept": [],
      "post /v1/agent/proposals/{proposal_id}/dismiss": ["402"],
      "get /v1/agent/conversations": ["402", "404"],
      "get /v1/agent/conversations/{conv_id}": ["402"],
      "delete /v1/agent/conversations/{conv_id}": ["402"],
      "get /v1/openapi.json": withoutKey,
      "get /healthz": withoutKey,
      "get /readyz": withoutKey,
      "post /v1/quote": ["402", "404"],
      "get /v1/charts/{id}": ["402"],
      "get /v1/notifications/stream": ["402"],
      "get /v1/account": ["402", "404"],
      "get /v1/account/usage": ["402", "404"],
      "post /v1/account/sign-in": ["401", "402", "404"],
      "post /v1/account/sign-out": ["402", "404"],
      "get /v1/account/export": ["402", "404"],
      "get /v1/account/ways": withoutKey,
      "get /v1/account/openid": withoutKey,
      "get /v1/account/openid/callback": withoutKey,
      "get /v1/account/keys": ["402", "404"],
      "post /v1/account/keys": ["402", "404"],
      "patch /v1/account/keys/{id}": ["402"],
      "post /v1/account/keys/{id}/rotate": ["402"],
      "delete /v1/account/keys/{id}": ["402"],
      "get /v1/account/sessions": ["402", "404"],
      "delete /v1/account/sessions": ["402", "404"],
      "delete /v1/account/sessions/{id}": ["402"],
      ...Object.fromEntries(specifications.map(({ name }) => [`post /v1/tools/${name}`, []]))
    }
    for (const { name, operation } of operations) {
      assert.includeMembers(Object.keys(operation["responses"]), documented, name)
      const statusesNotReturned = documented.filter((status) =>
        resolve(operation["responses"][status])["x-returned"] === false
      )
      // Admin operations can return 403 and 429. Only admin operations with a parameter in the path can return 404.
      const isAdmin = name.includes(" /admin/") || name === "get /metrics"
      const adminOnly = name.includes("{") ? ["402"] : ["402", "404"]
      assert.deepStrictEqual(statusesNotReturned, isAdmin ? adminOnly : notReturned[name], name)
      for (const status of statusesNotReturned) {
        const { description } = resolve(operation["responses"][status])
        assert.match(description, /^Not returned by this operation today: it/)
      }
    }
  })

  it("declares exactly the statuses that each operation can return", () => {
    // Any operation can return the following statuses, because Node may reject a request before the routes receive it.
    const any = ["400", "408", "431", "500", "503"]
    const returnedStatuses = (path: string, method: string) =>
      statusesOf(path, method).filter((status) =>
        resolve(document["paths"][path][method].responses[status])["x-returned"] !== false
      )
    const is = (path: string, method: string, expectedStatuses: ReadonlyArray<string>) =>
      assert.deepStrictEqual(returnedStatuses(path, method), [...any, ...expectedStatuses].sort(), path)
    for (const { name } of specifications) {
      is(`/v1/tools/${name}`, "post", ["200", "401", "402", "403", "404", "409", "413", "415", "429"])
    }
    is("/v1/usage", "get", ["200", "401", "403", "429"])
    is("/v1/tools", "get", ["200", "304", "401", "403", "429"])
    is("/v1/quote", "post", ["200", "401", "403", "413", "415", "429"])
    for (const path of ["/v1/agent/messages", "/v1/agent/stream"]) {
      is(path, "post", ["200", "401", "402", "403", "404", "409", "413", "415", "429"])
    }
    is("/v1/agent/resume/{conv_id}", "get", ["200", "401", "403", "404", "429"])
    is("/v1/agent/cancel/{conv_id}", "post", ["200", "401", "403", "404", "413", "415", "429"])
    is("/v1/agent/conversations", "get", ["200", "401", "403", "429"])
    is("/v1/agent/conversations/{conv_id}", "delete", ["204", "401", "403", "404", "409", "413", "415", "429"])
    is("/v1/notifications/stream", "get", ["200", "401", "403", "404", "429"])
    is("/v1/account", "get", ["200", "401", "403", "429"])
    is("/v1/account/sign-in", "post", ["200", "403", "413", "415", "429"])
    is("/v1/account/sign-out", "post", ["204", "401", "403", "429"])
    is("/v1/account/keys", "post", ["200", "401", "403", "409", "413", "415", "429"])
    is("/v1/account/sessions/{id}", "delete", ["204", "401", "403", "404", "429"])
    is("/healthz", "get", ["200"])
    for (const { operation } of operations) assert.includeMembers(Object.keys(operation["responses"]), any)
    for (const { operation } of operations) {
      for (const media of Object.values<Json>(operation["requestBody"]?.content ?? {})) {
        // OpenAPI 3.1 forbids `example` and `examples` on the same object.
        assert.isFalse("example" in media && "examples" in media)
      }
    }
    assert.include(statusesOf("/admin/v1/accounts/{id}/keys", "post"), "409")
    assert.notInclude(statusesOf("/admin/v1/accounts", "get"), "409")
    for (const { name, operation } of operations) {
      for (const [status, response] of Object.entries<Json>(operation["responses"])) {
        if (Number(status) < 400) continue
        const media = resolve(response)["content"]["application/problem+json"]
        for (const [code, { value }] of Object.entries<Json>(media.examples)) {
          assert.strictEqual(value.code, code)
          assert.strictEqual(String(value.status), status, `${name} ${code}`)
        }
      }
    }
  })

  it("declares the cost, the scope and the tag of each operation", () => {
    const byName = new Map<string, (typeof specifications)[number]>(specifications.map((one) => [one.name, one]))
    const groups = document["x-tagGroups"].flatMap(({ tags }: Json) => tags)
    assert.deepStrictEqual(groups, document["tags"].map(({ name }: Json) => name))
    assert.strictEqual(new Set(groups).size, groups.length)
    for (const { name, operation } of operations) {
      const tool = byName.get(operation["operationId"])
      const forbiddenResponse = operation["responses"]["403"]
      const isRefused = forbiddenResponse !== undefined && resolve(forbiddenResponse)["x-returned"] !== false &&
        "scope_required" in resolve(forbiddenResponse)["content"]["application/problem+json"].examples
      assert.strictEqual(operation["x-scope"] !== null, isRefused, name)
      const isAnswer = ["ask", "stream"].includes(operation["operationId"])
      assert.strictEqual(operation["x-credits"], tool?.credits ?? (isAnswer ? 20 : 0), name)
      assert.strictEqual(operation["tags"].length, 1, name)
      assert.include(groups, operation["tags"][0], name)
      if (tool !== undefined) {
        assert.deepStrictEqual([operation["tags"][0], operation["x-scope"]], [tool.area, tool.scope])
        assert.include(operation["x-scopes-any"], tool.scope)
      }
      for (const parameter of operation["parameters"]) assert.isNotEmpty(resolve(parameter)["description"], name)
      for (const response of Object.values<Json>(operation["responses"])) {
        assert.notInclude(["Success", "Error", "<No Content>"], resolve(response)["description"], name)
      }
    }
    assert.deepStrictEqual(document["paths"]["/v1/tools/get_kr_stock"].post["x-scopes-any"], [
      "read:market",
      "read:korea"
    ])
    const [limit] = document["paths"]["/admin/v1/accounts"].get.parameters.filter(({ name }: Json) => name === "limit")
    assert.deepStrictEqual(limit.schema, { type: "integer", minimum: 1, maximum: 1000 })
  })

  it("describes each stream event by its own schema, and has an example of each stream", () => {
    const { schemas } = document["components"]
    const streams = operations.flatMap(({ name, operation }) => {
      const media = operation["responses"]["200"]?.content?.["text/event-stream"]
      return media === undefined ? [] : [{ name, media }]
    })
    assert.deepStrictEqual(streams.map(({ name }) => name).sort(), [
      "get /v1/agent/resume/{conv_id}",
      "get /v1/notifications/stream",
      "post /v1/agent/stream"
    ])
    for (const { media, name } of streams) {
      const item = media["x-item-schema"]
      assert.deepStrictEqual(media.schema.contentSchema, { type: "array", items: item }, name)
      const exampleEvents = new Set([...media.example.matchAll(/^event: (.+)$/gm)].map(([, event]) => event))
      const events = resolve(item)["anyOf"].map(({ $ref }: Json) => $ref.split("/").at(-1))
      for (const event of events) {
        assert.isNotEmpty(schemas[event].description, event)
        const { data, event: kind } = schemas[event].properties
        assert.strictEqual(data.contentMediaType, "application/json", event)
        assert.strictEqual(event, `Event_${kind.enum[0]}`)
        assert.isTrue(exampleEvents.delete(kind.enum[0]) || kind.enum[0] === "reasoning", event)
      }
      assert.isEmpty([...exampleEvents])
    }
  })

  it("declares every problem code except method_not_allowed", () => {
    const declared = new Set(
      operations.flatMap(({ operation }) => Object.values<Json>(operation["responses"])).flatMap((response) =>
        Object.keys(resolve(response)["content"]?.["application/problem+json"]?.examples ?? {})
      )
    )
    const codes = new Set(sampleProblems("r", () => "").map(({ code }) => code))
    assert.deepStrictEqual([...codes].filter((code) => !declared.has(code)), ["method_not_allowed"])
  })

  it("has the catalogue's schemas: objects list their properties, and no bound is a placeholder", () => {
    const checkTypes = (value: unknown, path: string): void => {
      if (typeof value !== "object" || value === null) return
      if ("type" in value && value.type === "object") assert.property(value, "properties", path)
      assert.notProperty(value, "propertyNames", path)
      for (const [key, one] of Object.entries(value)) {
        assert.notInclude([Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER], one, `${path}/${key}`)
        checkTypes(one, `${path}/${key}`)
      }
    }
    checkTypes(document, "#")
    const definitions = "#/components/schemas/"
    for (const { name, parameters, result } of makeCatalogue(specifications)) {
      const body = document["paths"][`/v1/tools/${name}`].post.requestBody.content["application/json"].schema
      // If several places of an argument use one schema, the catalogue entry defines the schema, and the OpenAPI
      // document shares it.
      const { $defs, ...schemaFields } = parameters
      assert.deepStrictEqual<unknown>(
        body,
        JSON.parse(JSON.stringify(schemaFields).replaceAll("#/$defs/", definitions)),
        name
      )
      for (const [schemaName, schema] of Object.entries(Object.assign({}, $defs))) {
        assert.deepStrictEqual<unknown>(document["components"].schemas[schemaName], schema, `${name}: ${schemaName}`)
      }
      const named = name.replaceAll(/(^|_)(.)/g, (_, __, letter: string) => letter.toUpperCase())
      assert.deepStrictEqual<unknown>(document["components"].schemas[`${named}Result`], result, name)
    }
  }, 60_000)

  it("names result schemas, and requires the fields that are always sent", () => {
    const { schemas } = document["components"]
    const answer = resolve(
      document["paths"]["/v1/tools/get_coil"].post.responses[200].content["application/json"].schema
    )
    assert.deepStrictEqual(answer["required"].sort(), ["credits_left", "credits_used", "data", "took_ms", "tool"])
    assert.include(JSON.stringify(answer["properties"].data), "#/components/schemas/GetCoilResult")
    assert.containsAllKeys(schemas, [
      "GetCoilResult",
      "GetCoilAnswer",
      "Usage",
      "Quote",
      "Catalogue",
      "OverLimitProblem"
    ])
  })

  it.effect("is served with one path per tool of the toolbox", () =>
    Effect.gen(function*() {
      const served = (yield* sendRequest("GET", "/v1/openapi.json")).body
      assert.strictEqual(served.info.version, "1.0.0")
      const price = served.paths["/v1/tools/test_price"].post
      assert.strictEqual(price["x-credits"], 1)
      assert.strictEqual(price["x-scope"], "read:market")
      assert.deepStrictEqual(price["x-scopes-any"], ["read:market"])
      assert.strictEqual(price.requestBody.required, true)
      assert.strictEqual(served.paths["/v1/tools/test_korea"].post.requestBody.required, false)
      assert.notProperty(served.paths, "/v1/tools/{name}")
      assert.property(served.paths, "/admin/v1/accounts")
      assert.deepStrictEqual(price.security, [{ key: [] }, { session: [] }])
    }))

  it.effect("is cacheable and compressed, and returns 304 while it is unchanged; so does its page", () =>
    Effect.gen(function*() {
      const cachedPaths = [["/v1/openapi.json", "public, max-age=300"], ["/docs", "no-cache"], [
        "/docs/scalar.js",
        "no-cache"
      ]]
      for (const [path = "", cacheControl = ""] of cachedPaths) {
        const uncompressed = yield* sendRequest("GET", path, { headers: { "accept-encoding": "identity" } })
        assert.strictEqual(uncompressed.headers.get("content-encoding"), null)
        assert.strictEqual(uncompressed.headers.get("cache-control"), cacheControl)
        const etag = uncompressed.headers.get("etag")!
        const cachedResponse = yield* sendRequest("GET", path, { headers: { "if-none-match": etag } })
        assert.strictEqual(cachedResponse.status, 304)
        assert.strictEqual(cachedResponse.text, "")
        const gzipped = yield* sendRequest("GET", path, { headers: { "accept-encoding": "gzip" } })
        assert.strictEqual(gzipped.headers.get("content-encoding"), "gzip")
        assert.strictEqual(gzipped.headers.get("etag"), etag)
        assert.match(gzipped.headers.get("vary")!, /accept-encoding/i)
        assert.isBelow(Number(gzipped.headers.get("content-length")), uncompressed.text.length * 0.8)
        assert.strictEqual(gzipped.text, uncompressed.text)
        const rejection = yield* sendRequest("GET", path, { headers: { "accept-encoding": "gzip;q=0" } })
        assert.strictEqual(rejection.headers.get("content-encoding"), null)
      }
    }))

  it.effect("has a small page that loads only the document and its own script, by digest", () =>
    Effect.gen(function*() {
      const docs = yield* sendRequest("GET", "/docs")
      assert.strictEqual(docs.status, 200)
      assert.match(docs.headers.get("content-type")!, /text\/html/)
      assert.isBelow(docs.text.length, 2_000)
      assert.include(docs.text, `"url":"/v1/openapi.json"`)
      const scripts = [...docs.text.matchAll(/<script(?: src="([^"]*)" integrity="([^"]*)")?>([^]*?)<\/script>/g)]
      const digestOf = (script: string) => `sha256-${createHash("sha256").update(script).digest("base64")}`
      const [scalar, start] = scripts.map(([, src, integrity, script = ""]) => ({ src, integrity, script }))
      assert.lengthOf(scripts, 2)
      const loaded = yield* sendRequest("GET", scalar!.src!)
      assert.match(loaded.headers.get("content-type")!, /text\/javascript/)
      assert.strictEqual(scalar!.integrity, digestOf(loaded.text))
      assert.include(loaded.text, "createApiReference")
      const policy = new Map(
        docs.headers.get("content-security-policy")!.split("; ").map((part) => {
          const [name = "", ...sources] = part.split(" ")
          return [name, sources.join(" ")] as const
        })
      )
      assert.strictEqual(policy.get("script-src"), `'${scalar!.integrity}' '${digestOf(start!.script)}'`)
      assert.deepStrictEqual([policy.get("default-src"), policy.get("connect-src")], ["'none'", "'self'"])
    }))

  it.effect("is the target of the redirect from /openapi.json", () =>
    Effect.gen(function*() {
      const answer = yield* sendRequest("GET", "/openapi.json")
      const document = yield* sendRequest("GET", "/v1/openapi.json")
      assert.strictEqual(answer.text, document.text)
      const { address } = yield* HttpServer.HttpServer
      const url = `${HttpServer.formatAddress(address)}/openapi.json`
      const moved = yield* Effect.promise(() => fetch(url, { redirect: "manual" }))
      assert.deepStrictEqual([moved.status, moved.headers.get("location")], [308, "/v1/openapi.json"])
    }))
})
