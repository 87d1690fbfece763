import { spawnSync } from "node:child_process"
import { root } from "../manifest.ts"
import type { RuntimePackage } from "./runtimePackages.ts"

interface Component {
  readonly "bom-ref": string
  readonly name: string
  readonly type?: string
}

/** The fields of a CycloneDX document that are selected or changed. */
export interface Sbom {
  readonly metadata: { readonly component: Component }
  readonly components: ReadonlyArray<Component>
  readonly dependencies: ReadonlyArray<{ readonly ref: string; readonly dependsOn?: ReadonlyArray<string> }>
}

const referenceOf = ({ name, version }: RuntimePackage): string => `${name}@${version}`

/**
 * Selects the packages that belong to an application from the document of the whole repository. npm cannot select them,
 * because it includes the development dependencies of every workspace. npm also names a workspace after its folder.
 */
export const selectComponents = (sbom: Sbom, application: string, packages: Iterable<RuntimePackage>): Sbom => {
  const references = new Set([...packages].map(referenceOf))
  const components = [...new Map(sbom.components.map((component) => [component["bom-ref"], component])).values()]
    .filter((component) => references.has(component["bom-ref"]))
    .map((component) => ({
      ...component,
      name: component["bom-ref"].replace(/@[^@]+$/u, ""),
      // Only the sources of the packages are private.
      ...component["bom-ref"].startsWith("@tapeline/") ? { properties: [] } : {}
    }))
  const component = components.find(({ name }) => name === application)
  if (component === undefined) throw new Error(`The document of npm lacks ${application}`)
  const missing = [...references].filter((reference) => !components.some((found) => found["bom-ref"] === reference))
  if (missing.length > 0) throw new Error(`The document of npm lacks ${missing.join(", ")}`)
  return {
    ...sbom,
    metadata: { ...sbom.metadata, component: { ...component, type: "application" } },
    components: components.filter(({ name }) => name !== application),
    dependencies: sbom.dependencies.filter(({ ref }) => references.has(ref))
      .map(({ dependsOn = [], ref }) => ({ ref, dependsOn: dependsOn.filter((target) => references.has(target)) }))
  }
}

/** Returns the software bill of materials of a package in the form of CycloneDX, from the lock file. */
export const makeSbom = (application: string, packages: Iterable<RuntimePackage>): Sbom => {
  const { status, stderr, stdout } = spawnSync(
    "npm",
    ["sbom", "--sbom-format=cyclonedx", "--package-lock-only"],
    { cwd: root, encoding: "utf8", maxBuffer: 2 ** 26 }
  )
  if (status !== 0) throw new Error(`npm sbom failed:\n${stderr}`)
  // npm writes the document, and `selectComponents` fails if packages are missing.
  return selectComponents(JSON.parse(stdout) as Sbom, application, packages)
}
