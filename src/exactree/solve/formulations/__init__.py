"""MIP formulations of trees and diagrams, one folder per paper."""
