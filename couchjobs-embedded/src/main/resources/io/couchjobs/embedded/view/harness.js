// What functions of a design document find around them, and how the server calls them: text in, text out.
var emit, log, sum, isArray, toJSON, require;
var harness = (function () {
  'use strict';
  var stringify = JSON.stringify, parse = JSON.parse, build = Function, indirectEval = eval;
  var design = {}, modules = {}, functions = [], emitted = [], messages = [];

  function nothing(value) { return value === undefined ? null : value; }

  emit = function (key, value) { emitted.push([nothing(key), nothing(value)]); };
  log = function (message) { messages.push(typeof message === 'string' ? message : stringify(message)); };
  sum = function (values) { return values.reduce(function (a, b) { return a + b; }, 0); };
  isArray = Array.isArray;
  toJSON = function (value) { return stringify(value); };

  function resolve(path, base) {
    var parts = path.charAt(0) === '.' ? base.slice(0, -1) : [];
    path.split('/').forEach(function (part) {
      if (part === '..') { parts.pop(); } else if (part !== '.') { parts.push(part); }
    });
    return parts;
  }

  function load(path, base) {
    var parts = resolve(path, base), name = parts.join('/');
    if (!modules[name]) {
      var source = parts.reduce(function (at, part) { return at && at[part]; }, design);
      if (typeof source !== 'string') { throw { name: 'invalid_require_path', message: name }; }
      var module = modules[name] = { id: name, exports: {} };
      build('module', 'exports', 'require', source)(module, module.exports, function (other) {
        return load(other, parts);
      });
    }
    return modules[name].exports;
  }
  require = function (path) { return load(path, []); };

  function failure(e) {
    return e && e.name ? { name: String(e.name), message: String(e.message) } : { name: 'exception', message: stringify(nothing(e)) || String(e) };
  }

  function mapWith(fun, json) {
    emitted = [];
    try {
      fun(parse(json));
      return emitted;
    } catch (e) {
      messages.push('function raised exception (' + failure(e).name + ': ' + failure(e).message + ')');
      return [];
    }
  }

  return {
    design: function (json) { design = parse(json); },
    add: function (source) {
      var fun = indirectEval('(' + source.replace(/[;\s]+$/, '') + '\n)');
      if (typeof fun !== 'function') { throw new TypeError('expression does not eval to a function'); }
      functions.push(fun);
    },
    map: function (json) {
      return stringify(functions.map(function (fun) { return mapWith(fun, json); }));
    },
    reduce: function (keys, values, rereduce) {
      return stringify(nothing(functions[0](parse(keys), parse(values), rereduce)));
    },
    validate: function (newDoc, oldDoc, user, security) {
      try {
        functions[0](parse(newDoc), parse(oldDoc), parse(user), parse(security));
        return 'null';
      } catch (e) {
        return stringify(e && (e.forbidden !== undefined || e.unauthorized !== undefined) ? e : failure(e));
      }
    },
    filter: function (doc, request) { return stringify(!!functions[0](parse(doc), parse(request))); },
    messages: function () {
      var said = stringify(messages);
      messages = [];
      return said;
    }
  };
})();
