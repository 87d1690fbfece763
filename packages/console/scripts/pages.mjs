// Writes the HTML of each page in each language into `pages`: words, needed styles, and the names of the scripts.
import { transform } from "lightningcss"
import * as fs from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const browser = join(dirname(dirname(fileURLToPath(import.meta.url))), "browser")

const escapeHtml = (text) => text.replace(/[&<>"]/g, (character) => `&#${character.codePointAt(0)};`)

/** Renders the pages in this process, with a build of the components for Node. */
const renderPages = async (folder, build) => {
  try {
    await build({
      ssr: join(browser, "prerender/prerender.tsx"),
      outDir: folder,
      emptyOutDir: true,
      copyPublicDir: false,
      license: false,
      manifest: false,
      // The names of the components find their scripts.
      minify: false
    })
    return await (await import(pathToFileURL(join(folder, "prerender.js")))).prerenderPages()
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns the files of scripts with all their static imports, in the order in which the page needs them. */
const filesOf = (manifest, entries) => {
  const files = new Set()
  const add = (key) => {
    const { file, imports = [] } = manifest[key]
    if (files.has(file)) return
    files.add(file)
    imports.forEach(add)
  }
  entries.forEach(add)
  return [...files]
}

const matchesAny = (selectors, classes, tags) =>
  selectors.some((selector) =>
    selector.every(({ name, type }) =>
      type === "class"
        ? classes.has(name)
        : type === "type"
        ? tags.has(name) || name === "html" || name === "body"
        : true
    )
  )

/** Returns the rules of a style sheet that can match elements of the HTML. Fonts are not needed for the first paint. */
const stylesOf = (css, html) => {
  const classes = new Set([...html.matchAll(/ class="([^"]*)"/g)].flatMap(([, names]) => names.split(" ")))
  const tags = new Set([...html.matchAll(/<([a-z][a-z0-9]*)/g)].map(([, name]) => name))
  const { code } = transform({
    filename: "page.css",
    code: css,
    minify: true,
    visitor: {
      Rule: {
        style: (rule) => matchesAny(rule.value.selectors, classes, tags) ? undefined : [],
        "font-face": () => []
      }
    }
  })
  return code.toString()
}

/** Returns the code of a script without its comments. */
const inlineScript = (path) =>
  fs.readFileSync(path, "utf8").split("\n").filter((line) => !/^\s*\/\//.test(line)).join("\n").trim()

const renderDocument = (template, page, { css, scripts, settings, parameters, style }) => {
  const head = [
    `<script>${settings}</script>`,
    `<style>${stylesOf(css, page.html)}</style>`,
    `<script type="module" crossorigin src="/app/${scripts[0]}"></script>`,
    ...scripts.slice(1).map((file) => `<link rel="modulepreload" crossorigin href="/app/${file}" />`)
  ]
  const body = [
    `<noscript><p>${escapeHtml(page.noScript)}</p></noscript>`,
    `<div id="root" data-audience="${page.audience}" aria-busy="true">${page.html}</div>`,
    `<script>${parameters}</script>`,
    // The style sheet follows the content, so that the content is painted before the style sheet is loaded.
    `<link rel="stylesheet" crossorigin href="/app/${style}" />`
  ]
  return template
    .replace("<html lang=\"en\">", `<html lang="${page.language}">`)
    .replace(/<title>.*<\/title>/, () => `<title>${escapeHtml(page.title)}</title>`)
    .replace(/\s*<script[^]*<\/head>/, () => `\n${head.join("\n")}\n</head>`)
    .replace(/<body>[^]*<\/body>/, () => `<body>\n${body.join("\n")}\n</body>`)
}

/** Writes the pages into a folder that contains the built scripts. `build` runs Vite with other build options. */
export const writePages = async (built, build) => {
  const manifest = JSON.parse(fs.readFileSync(join(built, ".vite/manifest.json"), "utf8"))
  const keyOf = (name) => {
    const keys = Object.keys(manifest).filter((key) => manifest[key].isDynamicEntry && manifest[key].name === name)
    if (keys.length !== 1) throw new Error(`${keys.length} scripts have the name ${name}`)
    return keys[0]
  }
  const entry = "index.html"
  const style = manifest["style.css"].file
  const files = {
    css: fs.readFileSync(join(built, style)),
    style,
    settings: inlineScript(join(browser, "public/settings.js")),
    parameters: inlineScript(join(browser, "prerender/parameters.js"))
  }
  const template = fs.readFileSync(join(browser, "index.html"), "utf8").replaceAll(/\s*<!--[^]*?-->/g, "")
  for (const page of await renderPages(`${built}-pages`, build)) {
    const scripts = filesOf(manifest, [entry, ...manifest[entry].dynamicImports, ...page.components.map(keyOf)])
    const file = join(built, "pages", `${page.file}.html`)
    fs.mkdirSync(dirname(file), { recursive: true })
    fs.writeFileSync(file, renderDocument(template, page, { ...files, scripts }))
  }
  fs.rmSync(join(built, ".vite"), { recursive: true })
}
