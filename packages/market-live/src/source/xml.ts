import { XMLParser } from "fast-xml-parser"

/** The maximum nesting depth of XML elements. No source nests elements more deeply. */
const maxDepth = 40

/** Whether a document declares entities or a DTD. Nested entities could exceed the available memory. */
const definesGrammar = (text: string): boolean => /<!(doctype|entity)/iu.test(text)

/**
 * Returns an XML parser. The parser returns elements by name without namespace prefixes, texts as strings, and no
 * attributes. Elements named in `lists` are always arrays. The parser returns undefined if the text is not XML or has a
 * DTD, which no data source needs.
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
      // The parsed value has any type, because a schema decodes it before use.
      return parser.parse(text, true) as unknown
    } catch {
      return undefined
    }
  }
}
