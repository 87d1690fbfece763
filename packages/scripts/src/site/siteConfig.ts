import { createHash } from "node:crypto"
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, relative, sep } from "node:path"
import { readManifest, root } from "../manifest.ts"
import { collectLicences } from "./licences.ts"
import { anchorOf } from "./links.ts"
import { withoutFooter } from "./pageOrder.ts"
import { parseSidebar, toSitePath } from "./sidebar.ts"
import { adaptLinks, type MarkdownToken } from "./siteLinks.ts"

const docsDir = join(root, "docs")
const iconFile = join(root, "packages/console/browser/public/icon.svg")

/** The folder of the site's generator, which has its own dependencies. */
export const siteDir = join(root, "site")

/** The part of markdown-it that the site uses. */
interface Markdown {
  readonly core: {
    readonly ruler: {
      readonly before: (rule: string, name: string, change: (state: MarkdownState) => void) => void
      readonly push: (name: string, change: (state: MarkdownState) => void) => void
    }
  }
}

interface MarkdownState {
  src: string
  readonly tokens: Array<MarkdownToken>
  readonly env: { readonly path: string }
}

/**
 * Moves inline scripts of a page into files, so that the content security policy of the site needs no exception for
 * inline scripts.
 */
const moveInlineScripts = (html: string, outDir: string, base: string): string =>
  html.replaceAll(/<script((?:(?! src=)[^>])*)>([^]*?)<\/script>/gu, (_, attributes: string, script: string) => {
    const name = `assets/inline.${createHash("sha256").update(script).digest("hex").slice(0, 8)}.js`
    mkdirSync(join(outDir, "assets"), { recursive: true })
    writeFileSync(join(outDir, name), script)
    return `<script${attributes} src="${base}${name}"></script>`
  })

interface PluginContext {
  readonly resolve: (id: string, importer: string, options: { readonly skipSelf: true }) => Promise<unknown>
}

/** Finds the packages that the pages in `docs` import, because the pages are outside the folder of the site. */
const resolveFromSite = {
  name: "tapeline-resolve-from-site",
  enforce: "pre",
  resolveId(this: PluginContext, id: string, importer: string | undefined) {
    return importer?.startsWith(docsDir) === true && /^vue(\/|$)/u.test(id)
      ? this.resolve(id, join(siteDir, "package.json"), { skipSelf: true })
      : null
  }
}

/** The configuration with which VitePress builds the documentation site. */
export const siteConfig = () => {
  const { repository, version } = readManifest(join(root, "package.json"))
  const repositoryFiles = repository === undefined ? undefined : `${repository.replace(/\.git$/u, "")}/blob/v${version}`
  return {
    title: "Tapeline",
    description: "Market data, analysis and an analyst over one HTTP API.",
    srcDir: docsDir,
    cacheDir: join(siteDir, "node_modules/.cache"),
    rewrites: toSitePath,
    metaChunk: true,
    // A style element that suppresses transitions would violate the content security policy.
    appearance: { disableTransition: false },
    markdown: {
      anchor: { slugify: anchorOf },
      // The highlighter has no grammar for Caddyfiles.
      languageAlias: { caddyfile: "nginx" },
      // Braces at the end of a line belong to the text.
      attrs: { disable: true },
      config: ({ core: { ruler } }: Markdown) => {
        // The site has its own links to the previous and the next page.
        ruler.before("normalize", "tapeline-footer", (state) => void (state.src = withoutFooter(state.src)))
        ruler.push("tapeline-links", ({ env, tokens }) => {
          adaptLinks(tokens, relative(docsDir, env.path).replaceAll(sep, "/"), repositoryFiles)
        })
      }
    },
    transformHead: ({ siteData }: { readonly siteData: { readonly base: string } }) => [
      ["link", { rel: "icon", type: "image/svg+xml", href: `${siteData.base}icon.svg` }]
    ],
    transformHtml: (html: string, _page: string, { siteConfig: { outDir, site } }: HtmlContext) =>
      moveInlineScripts(html, outDir, site.base),
    buildEnd: ({ outDir }: HtmlContext["siteConfig"]) => copyFileSync(iconFile, join(outDir, "icon.svg")),
    themeConfig: {
      version,
      isPublished: process.env["TAPELINE_DOCS_PUBLISHED"] === "1",
      search: { provider: "local" },
      outline: [2, 3],
      sidebar: parseSidebar(readFileSync(join(docsDir, "README.md"), "utf8"))
    },
    vite: {
      plugins: [resolveFromSite, collectLicences],
      // Node loads the package while VitePress renders the pages. VitePress looks for the package next to the pages.
      ssr: { external: ["vue", "vue/server-renderer"] },
      // The content security policy allows no pictures from `data:` addresses inside scripts and styles.
      build: { assetsInlineLimit: 0, chunkSizeWarningLimit: 8192 }
    }
  }
}

interface HtmlContext {
  readonly siteConfig: { readonly outDir: string; readonly site: { readonly base: string } }
}
