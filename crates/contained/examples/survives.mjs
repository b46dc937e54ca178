// Drives the module of survives.rs: its folder is the only argument. Ends with an error when a contained panic is felt
// outside.

import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'

const module = createRequire(import.meta.url)(resolve(process.argv[2], 'survives.js'))
const DEPTH = 30
const right = 8 * (DEPTH + 1)

let tried = 0
const attempt = (panics) => {
  tried += 1
  return module.try_work(DEPTH, panics)
}

assert.equal(attempt(false), right)
const most = module.most()
for (let number = 1; number <= most; number += 1) {
  assert.equal(attempt(true), undefined, `panic ${number} is no answer`)
  if (number < most) assert.equal(attempt(false), right, `the work after panic ${number}`)
  assert.equal(module.bare_work(DEPTH, false), right, `the rest of the instance after panic ${number}`)
  assert.equal(module.tried(), 2 * tried, `what was held during panic ${number}`)
}
assert.equal(attempt(false), undefined, 'after so many it is not tried any more')
assert.equal(module.bare_work(DEPTH, false), right)
// The same panic without the container is felt: what is proved above is not that nothing panics.
assert.throws(() => module.bare_work(DEPTH, true), WebAssembly.RuntimeError)
console.log(`${most} panics contained; the instance answered after each of them`)
