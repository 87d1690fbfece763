import { XMLParser } from "fast-xml-parser"

/** The maximum nesting depth of XML elements, which no source exceeds. */
const maxDepth = 40

/**
 * Returns whether a document declares a DTD or entities. Nested entities of an XML document could exceed the available
 * memory.
 */
const definesGrammar = (text: string): boolean => /<!(doctype|entity)/iu.test(text)

/**
 * Returns an XML parser that ignores namespace prefixes and attributes. Elements named in `lists` are parsed to arrays,
 * even if they occur only once. The parser returns undefined if the text is not XML or has a DTD.
 */
export const makeXmlParser = (lists: ReadonlyArray<string>) => {
  const parser = new XMLParser({
    ignoreAttributes: true,
    removeNSPrefix: true,
    parseTagValue: false,
    trimValues: true,
    htmlEntities: true,
    maxNestedTags: maxDepth,
    isArray: (name) => lists.includes(name)
  })
  return (text: string): unknown => {
    if (definesGrammar(text)) return undefined
    try {
      // `as` is not needed for the parsed value, because a schema decodes it before use.
      return parser.parse(text, true) as unknown
    } catch {
      return undefined
    }
  }
}
