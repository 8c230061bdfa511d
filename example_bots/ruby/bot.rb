# frozen_string_literal: true

require_relative "lib/arena"
require_relative "lib/strategy"

Arena.serve(name: "Thoughtful in Ruby", language: "ruby", version: "1.0.0") { |request| Strategy.choose(request) }
