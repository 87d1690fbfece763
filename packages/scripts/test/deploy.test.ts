import { readSettings, type Settings, variables } from "@tapeline/server"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { parseAllDocuments } from "yaml"

type Environment = Readonly<Record<string, string>>

const root = resolve(import.meta.dirname, "../../..")
const deployDir = join(root, "deploy")
const readDeployed = (path: string): string => readFileSync(join(deployDir, path), "utf8")

const parseDocuments = (path: string) => parseAllDocuments(readDeployed(path), { merge: true })
const parseYaml = (path: string): unknown => parseDocuments(path)[0]!.toJS()

interface ComposeService {
  readonly image: string
  readonly build?: { readonly context?: string; readonly dockerfile?: string }
  readonly environment?: Environment
  readonly secrets?: ReadonlyArray<string>
  readonly ports?: ReadonlyArray<string>
  readonly volumes?: ReadonlyArray<string>
  readonly networks?: ReadonlyArray<string>
  readonly stop_grace_period?: string
}

interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>
  readonly volumes?: Readonly<Record<string, unknown>>
  readonly networks?: Readonly<Record<string, unknown>>
  readonly secrets?: Readonly<Record<string, { readonly file: string }>>
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string }
}

interface Labels {
  readonly matchLabels: Environment
}

interface Deployment {
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly selector: Labels
    readonly template: {
      readonly metadata: { readonly labels: Environment }
      readonly spec: {
        readonly terminationGracePeriodSeconds: number
        readonly securityContext: Readonly<Record<"runAsUser" | "runAsGroup" | "fsGroup", number>>
        readonly containers: ReadonlyArray<{
          readonly image: string
          readonly envFrom: ReadonlyArray<{ readonly configMapRef: { readonly name: string } }>
          readonly ports: ReadonlyArray<{ readonly name: string; readonly containerPort: number }>
          readonly startupProbe: Probe
          readonly livenessProbe: Probe
          readonly readinessProbe: Probe
          readonly volumeMounts: ReadonlyArray<{ readonly name: string; readonly mountPath: string }>
        }>
        readonly volumes: ReadonlyArray<{ readonly name: string; readonly secret: { readonly secretName: string } }>
      }
    }
  }
}

interface Kustomization {
  readonly resources: ReadonlyArray<string>
  readonly images: ReadonlyArray<{ readonly name: string }>
  readonly configMapGenerator: ReadonlyArray<{ readonly name: string; readonly literals: ReadonlyArray<string> }>
}

const composeFiles = ["compose.yaml", "compose.cluster.yaml"]
// The types of YAML files are correct, because each test fails if a field that it reads is absent.
const composeOf = (file: string): Compose => parseYaml(file) as Compose
const containerfile = readDeployed("Containerfile")
const systemdUnit = readDeployed("tapeline.service")
// As for Compose.
const kustomization = parseYaml("kubernetes/kustomization.yaml") as Kustomization
// As for Compose.
const deployment = parseYaml("kubernetes/deployment.yaml") as Deployment
const pod = deployment.spec.template.spec
const container = pod.containers[0]!

const toEnvironment = (assignments: ReadonlyArray<string>): Environment =>
  Object.fromEntries(assignments.map((assignment) => {
    const [name = "", ...value] = assignment.split("=")
    return [name, value.join("=")]
  }))

const imageEnvironment = toEnvironment(/^ENV (.+)$/mu.exec(containerfile)![1]!.split(" "))

/** The services of a Compose file that run the image of the server. */
const serversOf = (file: string): ReadonlyArray<[string, ComposeService]> =>
  Object.entries(composeOf(file).services).filter(([, { image }]) => image === "tapeline")

/** The environment of each server in the folder `deploy`. */
const environments: ReadonlyArray<[string, Environment]> = [
  ["the image", imageEnvironment],
  ...composeFiles.flatMap((file) =>
    serversOf(file).map(([name, { environment }]): [string, Environment] => [
      `${name} of ${file}`,
      { ...imageEnvironment, ...environment }
    ])
  ),
  ["Kubernetes", { ...imageEnvironment, ...toEnvironment(kustomization.configMapGenerator[0]!.literals) }],
  ["the systemd unit", toEnvironment([...systemdUnit.matchAll(/^Environment=(.+)$/gmu)].map(([, text]) => text!))]
]

const secretsDir = mkdtempSync(join(tmpdir(), "tapeline-secrets-"))
const makeSecrets = (): void => void execFileSync("sh", [join(deployDir, "make-secrets.sh"), secretsDir])
makeSecrets()
afterAll(() => rmSync(secretsDir, { recursive: true }))

const domain = "api.example.com"
const secretPath = /^\/run\/secrets\/(?:tapeline\/)?/u

/** Returns the settings that the server reads, with the secrets of `make-secrets.sh`. */
const settingsOf = (environment: Environment): Settings =>
  Effect.runSync(readSettings(Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [
      name,
      value.replace(/\$\{DOMAIN[^}]*\}/u, domain).replace(secretPath, `${secretsDir}/`)
    ])
  )))

const portsOf = ({ adminListener, port }: Settings): ReadonlyArray<number> =>
  adminListener === undefined ? [port] : [port, adminListener.port]

/** The maximum time from the end of a drain until the process ends. */
const stopSeconds = 10

const seconds = (duration: string): number => Number(/^(\d+)s$/u.exec(duration)![1])

it("parses every YAML file without errors and warnings", () => {
  const files = globSync("**/*.{yaml,yml}", { cwd: deployDir })
  expect(files.length).toBeGreaterThanOrEqual(8)
  for (const file of files) {
    const documents = parseDocuments(file)
    expect(documents.length, file).toBeGreaterThan(0)
    expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings]), file).toEqual([])
  }
})

describe.each(environments)("the environment of %s", (_, environment) => {
  it("contains only variables that the server, its command line or Node reads", () => {
    const known = [...variables, "TAPELINE_URL", "NODE_ENV", "PATH"]
    expect(Object.keys(environment).filter((name) => !known.includes(name))).toEqual([])
  })

  it("is accepted by the server, and sends the command line to the admin port", () => {
    const { adminListener, port } = settingsOf(environment)
    const adminUrl = environment["TAPELINE_URL"] ?? `http://127.0.0.1:${adminListener?.port ?? port}`
    expect(new URL(adminUrl).port).toBe(String(adminListener?.port ?? port))
  })
})

it("rejects a misspelt variable and a missing secret", () => {
  expect(() => settingsOf({ ...imageEnvironment, TAPELINE_PROXY: "1" })).toThrow("TAPELINE_PROXY: ")
  expect(() => settingsOf({ ...imageEnvironment, DATABASE_URL_FILE: "/run/secrets/absent" })).toThrow(
    "DATABASE_URL_FILE: "
  )
})

describe("make-secrets.sh", () => {
  it("keeps passwords and tokens, and replaces the empty file of an interrupted run", () => {
    const read = (name: string): string => readFileSync(join(secretsDir, name), "utf8")
    const [password, token] = [read("postgres_password"), read("admin_token")]
    expect(password).toMatch(/^[0-9a-f]{64}$/u)
    expect(new Set([password, token, read("redis_password")]).size).toBe(3)
    writeFileSync(join(secretsDir, "metrics_token"), "tl_admin_1")
    writeFileSync(join(secretsDir, "admin_token"), "")
    makeSecrets()
    expect(read("postgres_password")).toBe(password)
    expect(read("database_url")).toContain(`:${password}@pgbouncer:`)
    expect(read("metrics_token")).toBe("tl_admin_1")
    expect(read("admin_token")).toMatch(/^[0-9a-f]{64}$/u)
    expect(read("admin_token")).not.toBe(token)
  })

  it("writes every secret of compose.cluster.yaml into a folder of its owner", () => {
    const { secrets = {} } = composeOf("compose.cluster.yaml")
    for (const [name, { file }] of Object.entries(secrets)) {
      expect(file).toBe(`./secrets/${name}`)
      expect(existsSync(join(secretsDir, name)), name).toBe(true)
    }
    expect(statSync(secretsDir).mode & 0o777).toBe(0o700)
    expect(readFileSync(join(root, ".gitignore"), "utf8")).toMatch(/^deploy\/secrets\/$/mu)
  })
})

describe.each(composeFiles)("%s", (file) => {
  const compose = composeOf(file)
  const services = Object.entries(compose.services)

  it("refers to files, volumes, networks and secrets that exist", () => {
    for (const [name, { build, networks = [], secrets = [], volumes = [] }] of services) {
      if (build?.context !== undefined) {
        const context = resolve(deployDir, build.context)
        expect(context).toBe(root)
        expect(existsSync(join(context, build.dockerfile!)), name).toBe(true)
      }
      for (const source of volumes.map((volume) => volume.split(":")[0]!)) {
        const exists = source.startsWith("./")
          ? existsSync(join(deployDir, source))
          : Object.hasOwn(compose.volumes ?? {}, source)
        expect(exists, `${name} mounts ${source}`).toBe(true)
      }
      for (const network of networks) expect(Object.keys(compose.networks ?? {}), name).toContain(network)
      for (const secret of secrets) expect(Object.keys(compose.secrets ?? {}), name).toContain(secret)
    }
    const used = new Set(services.flatMap(([, { secrets = [] }]) => secrets))
    expect(Object.keys(compose.secrets ?? {}).filter((secret) => !used.has(secret))).toEqual([])
  })

  it("mounts each secret that a server reads, publishes ports of the server, and gives it time to stop", () => {
    const servers = serversOf(file)
    expect(servers.length).toBe(file === "compose.yaml" ? 1 : 2)
    for (const [, { environment = {}, ports = [], secrets = [], stop_grace_period }] of servers) {
      const files = Object.values(environment).filter((value) => secretPath.test(value))
      expect(files.map((path) => path.replace(secretPath, "")).sort()).toEqual(secrets.toSorted())
      const settings = settingsOf({ ...imageEnvironment, ...environment })
      for (const port of ports) {
        const [address, , containerPort] = port.split(":")
        expect(address).toBe("127.0.0.1")
        expect(portsOf(settings)).toContain(Number(containerPort))
      }
      expect(seconds(stop_grace_period!)).toBeGreaterThan(settings.drainMs / 1000 + stopSeconds)
    }
  })
})

describe("the services next to the servers of compose.cluster.yaml", () => {
  const servers = serversOf("compose.cluster.yaml")
  const settings = settingsOf({ ...imageEnvironment, ...servers[0]![1].environment })
  const targets = (port: number): ReadonlyArray<string> => servers.map(([name]) => `${name}:${port}`)

  it("has a proxy that forwards requests to every server, and closes idle connections sooner than the server", () => {
    const caddyfile = readDeployed("Caddyfile")
    const upstreams = /reverse_proxy (.+) \{$/mu.exec(caddyfile)![1]!.split(" ")
    expect(upstreams).toEqual(targets(settings.port))
    expect(seconds(/keepalive (\w+)/u.exec(caddyfile)![1]!) * 1000).toBeLessThan(settings.keepAliveMs)
    expect(settings.trustedProxies).toBe(1)
    expect(settings.publicUrl).toBe(`https://${domain}`)
  })

  it("has a Prometheus that scrapes the admin port of every server with the mounted token", () => {
    expect(parseYaml("prometheus/cluster.yaml")).toMatchObject({
      rule_files: ["tapeline.rules.yaml"],
      scrape_configs: [{
        authorization: { credentials_file: "/run/secrets/metrics_token" },
        static_configs: [{ targets: targets(settings.adminListener!.port) }]
      }]
    })
    expect(composeOf("compose.cluster.yaml").services["prometheus"]!.secrets).toEqual(["metrics_token"])
  })

  it("has stores at the addresses of the secrets", () => {
    const { services } = composeOf("compose.cluster.yaml")
    const pgbouncer = readDeployed("pgbouncer.ini")
    const address = (secret: string): URL => new URL(readFileSync(join(secretsDir, secret), "utf8"))
    for (const secret of ["database_url", "database_direct_url", "redis_url"]) {
      expect(services[address(secret).hostname], secret).toBeDefined()
    }
    expect(pgbouncer).toContain(`\nlisten_port = ${address("database_url").port}\n`)
    const { host, pathname, username } = address("database_direct_url")
    expect(pgbouncer).toContain(`\n${pathname.slice(1)} = host=${host.replace(":", " port=")}\n`)
    expect(services["postgres"]!.environment).toMatchObject({
      POSTGRES_DB: pathname.slice(1),
      POSTGRES_USER: username
    })
    expect(pgbouncer).toContain("\nauth_file = /run/secrets/pgbouncer_users\n")
  })
})

describe("Kubernetes", () => {
  const settings = settingsOf(environments.find(([name]) => name === "Kubernetes")![1])

  it("lists every manifest, and refers to the image, the configuration and the secret by their names", () => {
    const manifests = globSync("*.yaml", { cwd: join(deployDir, "kubernetes") })
    expect(kustomization.resources.toSorted()).toEqual(manifests.filter((name) => name !== "kustomization.yaml").sort())
    expect(kustomization.images.map(({ name }) => name)).toEqual([container.image])
    expect(container.envFrom.map(({ configMapRef }) => configMapRef.name)).toEqual(
      kustomization.configMapGenerator.map(({ name }) => name)
    )
    const [mount] = container.volumeMounts
    const [volume] = pod.volumes
    expect(mount!.name).toBe(volume!.name)
    const page = readFileSync(join(root, "docs/deployment.md"), "utf8")
    expect(page).toContain(`create secret generic ${volume!.secret.secretName} `)
    const files = Object.values(toEnvironment(kustomization.configMapGenerator[0]!.literals))
      .filter((value) => secretPath.test(value))
    for (const file of files) {
      expect(file.startsWith(`${mount!.mountPath}/`)).toBe(true)
      expect(page).toContain(`--from-file=${file.replace(secretPath, "")}=`)
    }
  })

  it("uses the ports of the server in the pod, the Service and the network policy", () => {
    const names = container.ports.map(({ name }) => name)
    expect(container.ports.map(({ containerPort }) => containerPort)).toEqual(portsOf(settings))
    // As for Compose.
    const service = parseYaml("kubernetes/service.yaml") as {
      spec: { ports: ReadonlyArray<{ targetPort: string }> }
    }
    // As for Compose.
    const policy = parseYaml("kubernetes/networkpolicy.yaml") as {
      spec: { ingress: ReadonlyArray<{ ports: ReadonlyArray<{ port: string }> }> }
    }
    for (const { targetPort } of service.spec.ports) expect(names).toContain(targetPort)
    const allowed = policy.spec.ingress.flatMap(({ ports }) => ports.map(({ port }) => port))
    expect(allowed.toSorted()).toEqual(names.toSorted())
    for (const probe of [container.startupProbe, container.livenessProbe, container.readinessProbe]) {
      expect(probe.httpGet.port).toBe("http")
    }
  })

  it("selects the pods of the Deployment everywhere", () => {
    const labels = deployment.spec.template.metadata.labels
    expect(deployment.spec.selector.matchLabels).toEqual(labels)
    expect(parseYaml("kubernetes/service.yaml")).toMatchObject({ spec: { selector: labels } })
    expect(parseYaml("kubernetes/networkpolicy.yaml")).toMatchObject({
      spec: { podSelector: { matchLabels: labels } }
    })
    const [scaler, budget] = parseDocuments("kubernetes/scaling.yaml").map((document): unknown => document.toJS())
    expect(scaler).toMatchObject({ spec: { scaleTargetRef: { kind: "Deployment", name: deployment.metadata.name } } })
    expect(budget).toMatchObject({ spec: { selector: { matchLabels: labels } } })
  })

  it("gives the server its 10 s to stop after the drain", () => {
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(settings.drainMs / 1000 + stopSeconds)
  })

  it("drains a server for as long as the documentation and the servers of Compose, longer than proxies need", () => {
    const compose = settingsOf(environments.find(([name]) => name === "tapeline-1 of compose.cluster.yaml")![1])
    expect(compose.drainMs).toBe(settings.drainMs)
    const page = readFileSync(join(root, "docs/operating.md"), "utf8")
    expect(page).toContain(`set \`TAPELINE_DRAIN_MS=${settings.drainMs}\``)
    const drainSeconds = settings.drainMs / 1000
    const idleSeconds = seconds(/keepalive_timeout (\w+)/u.exec(readDeployed("nginx.conf"))![1]!)
    expect(idleSeconds).toBeLessThan(drainSeconds)
    const [, checkSeconds, failures] = /check inter (\d+)s fall (\d+)/u.exec(readDeployed("haproxy.cfg"))!.map(Number)
    expect(checkSeconds! * failures!).toBeLessThan(drainSeconds / 2)
    const [interval, timeout] = ["health_interval", "health_timeout"].map((name) =>
      seconds(new RegExp(`${name} (\\w+)`, "u").exec(readDeployed("Caddyfile"))![1]!)
    )
    expect(interval! + timeout!).toBeLessThan(drainSeconds / 2)
  })
})

describe("the server's program", () => {
  it("checks health at paths that the API has", () => {
    const api = readFileSync(join(root, "packages/api/src/meta.ts"), "utf8")
    const paths = [
      ...[container.startupProbe, container.livenessProbe, container.readinessProbe].map(({ httpGet }) => httpGet.path),
      /^HEALTHCHECK .*?\$\{process\.env\.PORT\}(\/\w+)/mu.exec(containerfile)![1]!,
      /health_uri (\S+)/u.exec(readDeployed("Caddyfile"))![1]!,
      /http-check send meth GET uri (\S+)/u.exec(readDeployed("haproxy.cfg"))![1]!
    ]
    for (const path of paths) expect(api).toMatch(new RegExp(`HttpApiEndpoint\\.get\\("\\w+", "${path}"`, "u"))
  })

  it("starts with the flags of `npm start`", () => {
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      scripts: { start: string } // of this repository
    }
    const command = scripts.start.split("exec node ")[1]!
    const entrypoint = JSON.parse(/^ENTRYPOINT (.+)$/mu.exec(containerfile)![1]!) as ReadonlyArray<string> // exec form
    expect(entrypoint).toEqual(["node", ...command.split(" ")])
    expect(/^ExecStart=\S+ (.+)$/mu.exec(systemdUnit)![1]).toBe(command)
    // An operator who adds the documented drain of 10 s need not change the unit.
    expect(Number(/^TimeoutStopSec=(\d+)$/mu.exec(systemdUnit)![1])).toBeGreaterThan(10 + stopSeconds)
  })

  it("runs as the same user in the image and in Kubernetes, with a port that the image exposes", () => {
    const [, user, group] = /^USER (\d+):(\d+)$/mu.exec(containerfile)!.map(Number)
    expect(pod.securityContext).toMatchObject({ runAsUser: user, runAsGroup: group, fsGroup: group })
    expect(containerfile).toContain(`-o ${user} -g ${group} ${imageEnvironment["TAPELINE_DATA_DIR"]}\n`)
    expect(containerfile).toContain(`\nVOLUME ${imageEnvironment["TAPELINE_DATA_DIR"]}\n`)
    expect(containerfile).toContain(`\nEXPOSE ${imageEnvironment["PORT"]}\n`)
  })

  it("is at the paths of the systemd unit after `npm ci`", () => {
    const folder = /^WorkingDirectory=(.+)$/mu.exec(systemdUnit)![1]!
    const paths = [...systemdUnit.matchAll(/=(?:file:)?(\S+)/gu)].map(([, path]) => path!)
      .filter((path) => path.startsWith(`${folder}/`))
    expect(paths.length).toBe(2)
    for (const path of paths) expect(existsSync(join(root, path.slice(folder.length))), path).toBe(true)
  })

  it("is built from files that exist and that the build context contains", () => {
    const included = readFileSync(join(root, ".dockerignore"), "utf8").split("\n")
      .flatMap((line) => line.startsWith("!") ? [line.slice(1)] : [])
    for (const pattern of included) expect(globSync(pattern, { cwd: root }).length, pattern).toBeGreaterThan(0)
    const [, copied] = /cp -a --parents (.+) \/image/u.exec(containerfile)!
    for (const path of copied!.split(" ").filter((one) => one !== "node_modules")) expect(included).toContain(path)
  })
})
