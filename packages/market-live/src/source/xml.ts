import { XMLParser } from "fast-xml-parser"

/** More levels than any source nests. */
const maxDepth = 40

/** A document with its own grammar may define nested entities that unpack to more than the available memory. */
const definesGrammar = (text: string): boolean => /<!(doctype|entity)/iu.test(text)

/**
 * Parses XML: elements by name without namespace prefixes, and texts as strings. Attributes are dropped. Elements named
 * in `lists` are always arrays. Returns undefined if the text is not XML, or defines its own grammar, which no data
 * source needs.
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
      // Any value: a schema decodes it before it is used.
      return parser.parse(text, true) as unknown
    } catch {
      return undefined
    }
  }
}
