import { XMLParser } from "fast-xml-parser"

/** The maximum nesting depth of XML elements, which no source exceeds. */
const maxDepth = 40

/** Returns whether a document declares entities or a DTD, which could exceed the available memory if nested. */
const definesGrammar = (text: string): boolean => /<!(doctype|entity)/iu.test(text)

/**
 * Returns an XML parser for elements without namespace prefixes and attributes, in which elements named in `lists` are
 * always arrays. The parser returns undefined if the text is not XML or has a DTD.
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
      // A schema decodes the parsed value before use.
      return parser.parse(text, true) as unknown
    } catch {
      return undefined
    }
  }
}
