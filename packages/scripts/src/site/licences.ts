import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"

export interface Bundle {
  readonly [file: string]: { readonly modules?: Readonly<Record<string, unknown>> }
}

export interface PluginContext {
  readonly emitFile: (file: { readonly type: "asset"; readonly fileName: string; readonly source: string }) => unknown
}

interface PackageManifest {
  readonly name: string
  readonly version: string
  readonly license?: string
}

const packageFolder = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/u

const formatLicence = (folder: string): string => {
  // The cast is safe, because npm installs no package without a name and a version.
  const { license, name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as PackageManifest
  const [file] = globSync("{LICENSE,LICENCE,license,License}{,.md,.txt}", { cwd: folder })
  const text = file === undefined ? "" : `\n${readFileSync(join(folder, file), "utf8").trim()}\n`
  return `## ${name} - ${version} (${license ?? "no licence"})\n${text}`
}

/**
 * A plugin that writes the licences of the bundled packages into `licenses.md`, because these licences require their
 * texts in each copy.
 */
export const collectLicences = {
  name: "tapeline-licences",
  generateBundle(this: PluginContext, _options: unknown, bundle: Bundle) {
    const modules = Object.values(bundle).flatMap((file) => Object.keys(file.modules ?? {}))
    const folders = new Set(modules.flatMap((module) => packageFolder.exec(module)?.[0] ?? []))
    const licences = [...folders].filter((folder) => existsSync(join(folder, "package.json"))).sort().map(formatLicence)
    const source = `# Licences of the packages in this site\n\n${licences.join("\n")}`
    this.emitFile({ type: "asset", fileName: "licenses.md", source })
  }
}
