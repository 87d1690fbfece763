// The sources of a package run only in the repository, and users install the built package.
const name = process.env.npm_package_name ?? "@tapeline/<name>"
console.error(
  `${name} is not packed from its sources. Run ` +
    `\`npm run pack -- ${name.replace("@tapeline/", "")}\` at the root.`
)
process.exit(1)
